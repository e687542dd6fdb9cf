// SPDX-License-Identifier: BSD-3-Clause
/// The names in a file's header lines: "diff --git a/x b/x", "--- a/x", "+++ b/x".
/// As git apply with -p1, the first component of each is taken off, whatever it is called.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torchpatch::patch {

/// Returns the part of `name` behind its first component; nothing where that is empty, or where `name` begins with a
/// slash. (git: "unable to find filename".)
std::optional<std::string_view> strip_component(std::string_view name);

/// What stands after "--- " or "+++ ".
struct SideName {
  bool is_null = false;    ///< "/dev/null"
  std::string name;        ///< stripped
  std::string_view after;  ///< what follows a tab after the name: the time, in patches that are not git's
};

/// Nothing where the name cannot be read.
std::optional<SideName> parse_side_name(std::string_view text);

/// Returns the name that stands on both sides of what follows "diff --git "; nothing where they differ.
/// Unquoted names may have spaces, so the line is split where both halves say the same; one that is longer than two
/// quoted paths can be is not looked at.
std::optional<std::string> common_header_name(std::string_view names);

/// True where `names` ("a/x b/y") stands for exactly these two.
bool header_names_are(std::string_view names, std::string_view old_name, std::string_view new_name);

}  // namespace torchpatch::patch
