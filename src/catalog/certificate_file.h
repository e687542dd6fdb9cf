// SPDX-License-Identifier: BSD-3-Clause
/// patchsets/<id>/certificates/<release>.json (docs/formats.md).
#pragma once

#include <string>
#include <vector>

#include "catalog/data_file.h"
#include "model/patchset.h"

namespace torchpatch::catalog {

/// The edges of one file, in file order.
struct CertificateFile {
  std::string patchset;
  std::string release;
  std::vector<CertificateEdge> edges;
};

/// Returns the certificates; what is wrong with them is findings. `patchset` and `release`: what the path says.
CertificateFile read_certificates(const DataFile& file, const std::string& patchset, const std::string& release,
                                  Findings& findings);

}  // namespace torchpatch::catalog
