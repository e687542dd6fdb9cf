// SPDX-License-Identifier: BSD-3-Clause
/// build_sizes.json (docs/formats.md).
#pragma once

#include "catalog/data_file.h"
#include "model/matrix.h"

namespace torchpatch::catalog {

BuildSizes read_build_sizes(const DataFile& file, Findings& findings);

}  // namespace torchpatch::catalog
