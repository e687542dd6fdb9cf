// SPDX-License-Identifier: BSD-3-Clause
/// What certificates must agree with: the patches, the pins of their release, and each other.
#pragma once

#include "catalog/assembly.h"
#include "catalog/certificate_file.h"

namespace torchpatch::catalog {

/// Returns the patch of a patchset that has this digest, or null.
const Patch* find_patch(const Patchset& patchset, const Sha256& digest);

/// Adds the edges of one file to their patchset. Findings: an edge for a patch or a release that the layers so far do
/// not have, for another commit than the release pins, or at odds with an edge that is there already.
void add_certificates(const DataFile& file, const CertificateFile& certificates, Assembly& assembly);

}  // namespace torchpatch::catalog
