// SPDX-License-Identifier: BSD-3-Clause
/// cores.json (docs/formats.md).
#pragma once

#include "catalog/data_file.h"
#include "model/core.h"

namespace torchpatch::catalog {

CoreTable read_cores(const DataFile& file, Findings& findings);

}  // namespace torchpatch::catalog
