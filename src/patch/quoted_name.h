// SPDX-License-Identifier: BSD-3-Clause
/// Names as git quotes them in patches: C escapes in double quotes where a name has unusual bytes (git-config(1),
/// core.quotePath).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torchpatch::patch {

struct UnquotedName {
  std::string name;
  std::string_view rest;  ///< what follows the closing quote
};

/// Reads the quoted name that `text` begins with; nothing where it is malformed.
std::optional<UnquotedName> unquote_name(std::string_view text);

/// Returns `name` as git writes it: in quotes where it has control bytes, quotes, backslashes or bytes over 0x7f.
std::string quote_name(std::string_view name);

}  // namespace torchpatch::patch
