// SPDX-License-Identifier: BSD-3-Clause
/// What a reviewer reads in a patch: the header (parse_header; DEP-3 and an SPDX licence line,
/// https://dep-team.pages.debian.net/deps/dep3/), what it lacks (lint_patch), risks (find_risks), and changed lines:
/// what differs between two lists (diff_lines), which words of a line (word_changes), a change with more of the file
/// around it (widen_context).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// What DEP-3's Origin may begin with.
inline constexpr std::array<std::string_view, 4> kOriginKinds = {"upstream", "backport", "vendor", "other"};

struct HeaderField {
  std::string name;   ///< as it is spelled: "Last-Update"
  std::string value;  ///< continuation lines joined by newlines, without their first space
  int line = 0;       ///< 1-based
};

struct PatchHeader {
  std::vector<HeaderField> fields;  ///< in order; a comment "# SPDX-License-Identifier: …" counts as a field
  /// The first line that is neither a field nor a comment; 0 = none.
  int stray_line = 0;

  /// Returns the first field of this name, in any case of letters, or null.
  const HeaderField* find(std::string_view name) const;
};

/// Parses the header at the beginning of a patch's preamble; it ends at an empty line, at "---" or with the text. The
/// "From" line of a mail is skipped.
PatchHeader parse_header(std::string_view preamble);

// What a patch of a catalog must have besides being well formed.

struct LintFinding {
  int line = 0;         ///< 1-based; 0 = the whole patch
  std::string message;  ///< lower case, no final period
  bool operator==(const LintFinding&) const = default;
};

/// Returns all findings, in the order of the rules: the fields Description (or Subject), Origin, Bug, Forwarded,
/// Last-Update and SPDX-License-Identifier are there and well formed; every change of content has an index line with
/// two full ids; hunks have context; and everything can be taken back, which verify does (no copies, no binary change
/// without its reverse).
std::vector<LintFinding> lint_patch(const PatchFile& patch);

/// Places where a harmful change would stand; a risk is no fault. Rules over the text alone find them.
enum class RiskKind {
  build_script,     ///< changes what runs at build time
  network,          ///< adds a line that names a host or fetches something
  executable_bit,   ///< makes a file executable, or takes that away
  binary,           ///< content that no one can read here
  link,             ///< creates or changes a symbolic link
  gitlink,          ///< changes which commit a submodule is at
  generated,        ///< changes a file that a program writes, so that the change may be lost
  hidden_text,      ///< adds characters that do not show or that reorder what is read (CVE-2021-42574)
  whitespace_only,  ///< a hunk that changes blanks alone
  unexplained,      ///< a hunk that shares no word with the description
};

/// Returns the name of a kind in reports: "build-script".
const char* risk_name(RiskKind kind);

struct Risk {
  RiskKind kind = RiskKind::build_script;
  std::string path;        ///< of the file, as the patch has it
  std::uint32_t line = 0;  ///< 1-based in the new file, of a removal in the old one; 0 = the whole file
  std::string why;         ///< lower case, no final period
  bool operator==(const Risk&) const = default;
};

/// Returns the risks of a patch, file by file in the order of the rules above.
std::vector<Risk> find_risks(const PatchFile& patch);

// Changed lines.

/// Returns the hunks that turn `before` into `after`, by a longest common subsequence, with `context` common lines
/// around each; none where they are equal. Of long lists the subsequence is nearly the longest: what differs in too
/// much for an exact answer is cut where the search got furthest, so that the time grows with the lines alone.
std::vector<Hunk> diff_lines(const std::vector<std::string>& before, const std::vector<std::string>& after,
                             std::size_t context);

// Which words of a changed line changed: for readers, who see one letter in a long line only when it is marked.

/// Bytes of a line that are not in the lines they replace, or that replaces them: [begin, end).
struct WordSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const WordSpan&) const = default;
};

/// Returns the changed spans of each line of the hunk, in order. Only a run of removed lines with a run of added ones
/// right behind it has some, and only where the two have at least a third of their text in common: else all is new.
std::vector<std::vector<WordSpan>> word_changes(const Hunk& hunk);

// A change with as much of the file around it as a reader wants.

/// Returns the same change of `before` with `context` unchanged lines around it, as git diff -U<context> shows it:
/// hunks that come near each other are one, and each says where it really stands. Raises ApplyError where a hunk does
/// not fit; `path` is for that.
std::vector<Hunk> widen_context(const std::vector<Hunk>& hunks, std::string_view before, std::size_t context,
                                const std::string& path);

}  // namespace torchpatch::patch
