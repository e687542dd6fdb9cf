// SPDX-License-Identifier: BSD-3-Clause
/// Review of a patch: its header (parse_header; DEP-3 and an SPDX licence line,
/// https://dep-team.pages.debian.net/deps/dep3/), what it lacks (lint_patch), risks (find_risks), and changes: diffs of
/// two lists (diff_lines), changed words in lines (word_changes), hunks with more context (widen_context).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Allowed beginnings of DEP-3's Origin.
inline constexpr std::array<std::string_view, 4> kOriginKinds = {"upstream", "backport", "vendor", "other"};

struct HeaderField {
  std::string name;   ///< as written: "Last-Update"
  std::string value;  ///< continuation lines joined by newlines, without their first space
  int line = 0;       ///< 1-based
};

struct PatchHeader {
  std::vector<HeaderField> fields;  ///< in order; a comment "# SPDX-License-Identifier: …" counts as a field
  /// The first line that is neither a field nor a comment; 0 = none.
  int stray_line = 0;

  /// Returns the first field of this name, ignoring case, or null.
  const HeaderField* find(std::string_view name) const;
};

/// Parses the header at the start of a patch's preamble, up to an empty line, "---" or the end. The "From" line of a
/// mail is skipped.
PatchHeader parse_header(std::string_view preamble);

// Requirements for patches of a catalog, besides being well-formed.

struct LintFinding {
  int line = 0;         ///< 1-based; 0 = the whole patch
  std::string message;  ///< lower case, no final period
  bool operator==(const LintFinding&) const = default;
};

/// Returns all findings, in order of the rules: the fields Description (or Subject), Origin, Bug, Forwarded,
/// Last-Update and SPDX-License-Identifier exist and are well-formed; every content change has an index line with two
/// full ids; hunks have context; and the patch is reversible, as verify requires (no copies, no binary change without
/// its reverse).
std::vector<LintFinding> lint_patch(const PatchFile& patch);

/// Places where a harmful change could hide; a risk is not a fault. Found by rules on the text alone.
enum class RiskKind {
  build_script,     ///< changes what runs at build time
  network,          ///< adds a line that contains a host or fetches something
  executable_bit,   ///< makes a file executable, or no longer executable
  binary,           ///< content that people cannot read
  link,             ///< creates or changes a symbolic link
  gitlink,          ///< changes which commit a submodule is at
  generated,        ///< changes a file that a program writes, so that the change may be lost
  hidden_text,      ///< adds characters that do not show or that reorder what is read (CVE-2021-42574)
  whitespace_only,  ///< a hunk that changes blanks alone
  unexplained,      ///< a hunk that shares no word with the description, nor a sign such as "8.7" or "%ld"
};

/// Returns the name of a kind in reports: "build-script".
const char* risk_name(RiskKind kind);

struct Risk {
  RiskKind kind = RiskKind::build_script;
  std::string path;        ///< as in the patch
  std::uint32_t line = 0;  ///< 1-based in the new file, for a removal in the old one; 0 = the whole file
  std::string why;         ///< lower case, no final period
  bool operator==(const Risk&) const = default;
};

/// Returns the risks of a patch, file by file in the order of the rules above.
std::vector<Risk> find_risks(const PatchFile& patch);

// Diffs.

/// Returns the hunks that turn `before` into `after`, by a longest common subsequence, with `context` common lines
/// around each; none if they are equal. For long lists the subsequence may not be the longest: differences too large
/// for an exact result are split where the search got furthest, so that the time grows only linearly.
std::vector<Hunk> diff_lines(const std::vector<std::string>& before, const std::vector<std::string>& after,
                             std::size_t context);

// The changed words of a line, for highlighting: a single letter in a long line is otherwise easy to miss.

/// Bytes [begin, end) of a line that are not in the lines that it replaces, or that replace it.
struct WordSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const WordSpan&) const = default;
};

/// Returns the changed spans of each line of the hunk, in order. Only a run of removed lines directly followed by a run
/// of added ones has some, and only if they have at least a third of their text in common; otherwise all is new.
std::vector<std::vector<WordSpan>> word_changes(const Hunk& hunk);

// More context around a change.

/// Returns the same change of `before` with `context` unchanged lines around it, as git diff -U<context> shows it:
/// nearby hunks are merged, and line numbers are the actual ones. Raises ApplyError, with `path`, if a hunk does not
/// fit.
std::vector<Hunk> widen_context(const std::vector<Hunk>& hunks, std::string_view before, std::size_t context,
                                const std::string& path);

}  // namespace torchpatch::patch
