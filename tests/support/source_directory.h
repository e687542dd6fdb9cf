// SPDX-License-Identifier: BSD-3-Clause
/// Where the checkout is, for tests that read its data and its sources.
#pragma once

#include <string>

namespace torchpatch::test {

/// Returns the absolute path of the checkout.
std::string source_directory();

}  // namespace torchpatch::test
