// SPDX-License-Identifier: BSD-3-Clause
/// What the uncertified patches of a plan would have to find, by the certificates that other releases have for them.
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::ops {

/// Returns a line for each path of each uncertified patch and each blob that the patch is certified for, with the
/// releases that have this blob: "cuda-threads/T2/0001-cap.patch expects torch:a/file.h to be 70a7d05b…
/// (1.1.0, 1.2.0)". A patch that no release is certified for has no line.
std::vector<std::string> certified_blobs(const Plan& plan, const Catalog& catalog);

}  // namespace torchpatch::ops
