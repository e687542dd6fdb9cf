// SPDX-License-Identifier: BSD-3-Clause
/// git's delta format: two sizes, then copies from the old content and inserted bytes (gitformat-pack(5),
/// "Deltified representation").
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torchpatch::patch {

/// Largest content that a binary patch may make, and largest inflated hunk: 64 MiB.
inline constexpr std::size_t kMaxBinaryBytes = 64u << 20;

/// Returns the content that `delta` makes of `old_bytes`; nothing where it is malformed, was made for content of
/// another size, or makes more than kMaxBinaryBytes.
std::optional<std::string> apply_delta(std::string_view delta, std::string_view old_bytes);

}  // namespace torchpatch::patch
