// SPDX-License-Identifier: BSD-3-Clause
/// The header lines of a file's change (parse_file_header), and names as git quotes them there (quote_name,
/// unquote_name): C escapes in double quotes if a name has unusual bytes (git-config(1), core.quotePath).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "patch/patch_file.h"

namespace torchpatch::patch {

struct UnquotedName {
  std::string name;
  std::string_view rest;  ///< what follows the closing quote
};

/// Reads the quoted name that `text` begins with; nothing where it is malformed.
std::optional<UnquotedName> unquote_name(std::string_view text);

/// Returns `name` as git writes it: in quotes where it has control bytes, quotes, backslashes or bytes over 0x7f.
std::string quote_name(std::string_view name);

// The names in a file's header lines: "diff --git a/x b/x", "--- a/x", "+++ b/x".
// As git apply with -p1, the first component of each is taken off, whatever it is called.

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

// Parses the header of one file's change, git's or the plain "---/+++" of diff -u.

/// True where the current line begins a file: "diff --git a/x b/x", or "--- x" with "+++ x" behind it.
bool is_file_header(const LineReader& in);

/// Reads the header that begins at the current line, up to the first "@@" or "GIT binary patch". Stricter than git: all
/// names that stand in it must agree, and pairs of lines be complete. Raises data, and unsafe for modes.
FilePatch parse_file_header(LineReader& in);

}  // namespace torchpatch::patch
