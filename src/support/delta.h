// SPDX-License-Identifier: BSD-3-Clause
/// git's delta format: two sizes, then copies from the old content and inserted bytes (gitformat-pack(5),
/// "Deltified representation"). Packs and binary patches have it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torchpatch {

/// Returns the content that `delta` makes of `old_bytes`; nothing where it is malformed, was made for content of
/// another size, or makes more than `max_bytes`.
std::optional<std::string> apply_delta(std::string_view delta, std::string_view old_bytes, std::size_t max_bytes);

}  // namespace torchpatch
