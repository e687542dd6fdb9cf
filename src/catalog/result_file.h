// SPDX-License-Identifier: BSD-3-Clause
/// results/<release>.json (docs/formats.md).
#pragma once

#include <string>
#include <vector>

#include "catalog/data_file.h"
#include "model/catalog.h"

namespace torchpatch::catalog {

/// Returns the results in file order, without their layer; what is wrong with them is findings.
std::vector<RecordedResult> read_results(const DataFile& file, const std::string& release, Findings& findings);

}  // namespace torchpatch::catalog
