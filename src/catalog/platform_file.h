// SPDX-License-Identifier: BSD-3-Clause
/// platforms.json (docs/formats.md).
#pragma once

#include "catalog/data_file.h"
#include "model/platform.h"

namespace torchpatch::catalog {

PlatformTable read_platforms(const DataFile& file, Findings& findings);

}  // namespace torchpatch::catalog
