// SPDX-License-Identifier: BSD-3-Clause
/// moved_repositories.json (docs/formats.md).
#pragma once

#include <vector>

#include "catalog/data_file.h"
#include "model/release.h"

namespace torchpatch::catalog {

/// Returns the table in file order; what is wrong with it is findings.
std::vector<MovedRepository> read_moved_repositories(const DataFile& file, Findings& findings);

}  // namespace torchpatch::catalog
