// SPDX-License-Identifier: BSD-3-Clause
/// Sizes for people.
#pragma once

#include <cstdint>
#include <string>

namespace torchpatch::emit {

/// Returns "512 B", "3.4 kB", "61.0 MB", "1.2 GB".
std::string size_text(std::uint64_t bytes);

}  // namespace torchpatch::emit
