// SPDX-License-Identifier: BSD-3-Clause
/// Reads HTML as strictly as no browser does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torchpatch::fuzz {

/// Returns what is foreign in `html`, or nothing: an element, attribute or scheme of a link that pages of others' text
/// must not have, an element that is not closed, a "<", ">" or "&" that stands for itself, text that is_harmless()
/// refuses but for line breaks and tabs.
std::optional<std::string> html_problem(std::string_view html);

}  // namespace torchpatch::fuzz
