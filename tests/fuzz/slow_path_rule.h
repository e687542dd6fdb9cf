// SPDX-License-Identifier: BSD-3-Clause
/// The path-and-mode rule once more, slow and obvious.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::fuzz {

/// Returns the parts of `text` between `separator`s.
std::vector<std::string> parts_of(std::string_view text, char separator);

/// Returns whether a file system can take `name` for ".git".
bool names_dot_git(std::string_view name);
/// Returns whether a path may be looked up, may be written into OUT, may be a link called so, and to that target.
bool may_be_path(std::string_view path);
bool may_be_in_output(std::string_view path);
bool may_be_link_name(std::string_view path);
bool may_be_link(std::string_view path, std::string_view target);

}  // namespace torchpatch::fuzz
