// SPDX-License-Identifier: BSD-3-Clause
/// Parts of a patch's text, for patch_file.cpp: the header lines of a file's change (parse_file_header), names as git
/// quotes them there (unquote_name; git-config(1), core.quotePath), and binary changes (parse_binary).
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

// "GIT binary patch": two deflated hunks in base 85, the second of which takes the first back.

/// Returns the bytes of one line; nothing where it is malformed.
std::optional<std::string> decode_base85_line(std::string_view line);

/// Largest content that a binary patch may make, and largest inflated hunk: 64 MiB.
inline constexpr std::size_t kMaxBinaryBytes = 64u << 20;

/// Reads what follows the line "GIT binary patch", which is the current one. Raises data where it is malformed or a
/// hunk has not exactly the bytes it declares; unsafe where it declares more than kMaxBinaryBytes.
BinaryChange parse_binary(LineReader& in);

}  // namespace torchpatch::patch
