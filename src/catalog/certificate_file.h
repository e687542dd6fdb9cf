// SPDX-License-Identifier: BSD-3-Clause
/// patchsets/<id>/certificates/<release>.json (docs/formats.md).
#pragma once

#include <string>
#include <vector>

#include "catalog/data_file.h"
#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "model/patchset.h"

namespace torchpatch::catalog {

/// Returns the certificates; what is wrong with them is findings. `patchset` and `release`: what the path says.
CertificateFile read_certificates(const DataFile& file, const std::string& patchset, const std::string& release,
                                  Findings& findings);

// What certificates must agree with: the patches, the pins of their release, and each other.

/// Returns the patch of a patchset that has this digest, or null.
const Patch* find_patch(const Patchset& patchset, const Sha256& digest);

/// Adds the edges of one file to their patchset. Findings: an edge for a patch or a release that the layers so far do
/// not have, for another commit than the release pins, or at odds with an edge that is there already. Of a
/// patchset that is to be certified such edges are left out.
void add_certificates(const DataFile& file, const CertificateFile& certificates, Assembly& assembly);

/// Returns whether an edge of a file goes with the patches, pins and overrides of a catalog.
bool is_in_place(const CertificateEdge& edge, const RecordedFile& file, const Catalog& catalog);

}  // namespace torchpatch::catalog
