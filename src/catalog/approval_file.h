// SPDX-License-Identifier: BSD-3-Clause
/// approvals/*.json (docs/formats.md).
#pragma once

#include "catalog/data_file.h"
#include "model/approval.h"

namespace torchpatch::catalog {

/// Returns the approval; what is wrong with it is findings. Whose signature it is, and whether it is good, is not
/// looked at.
Approval read_approval(const DataFile& file, Findings& findings);

}  // namespace torchpatch::catalog
