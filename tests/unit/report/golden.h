// SPDX-License-Identifier: BSD-3-Clause
/// Compares generated text with the file that tells what it should be.
#pragma once

#include <string>

namespace torchpatch::test {

/// Fails with both texts unless `actual` is the content of golden/<name>. TORCHPATCH_ACCEPT=1 in the environment writes
/// the file instead.
void check_golden(const std::string& name, const std::string& actual);

}  // namespace torchpatch::test
