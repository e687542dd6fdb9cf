// SPDX-License-Identifier: BSD-3-Clause
/// apply_delta(): git's delta format, two sizes, then copies from the old content and inserted bytes
/// (gitformat-pack(5), "Deltified representation"). Packs and binary patches use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torchpatch {

/// Returns the result of applying `delta` to `old_bytes`; nothing if it is malformed, was made for content of a
/// different size, or yields more than `max_bytes`.
std::optional<std::string> apply_delta(std::string_view delta, std::string_view old_bytes, std::size_t max_bytes);

}  // namespace torchpatch
