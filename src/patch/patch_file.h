// SPDX-License-Identifier: BSD-3-Clause
/// PatchFile: a patch as a value, in the terms of `git diff --binary`; and parse_patch() with its parts such as
/// parse_file_header() and parse_binary(). Format: git-diff(1) "Generating patch text with -p"; binary hunks as git
/// apply reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/path_rule.h"

namespace torchpatch::patch {

/// Digits of an unabbreviated object id.
inline constexpr std::size_t kFullId = 40;

enum class LineKind : char { context = ' ', removed = '-', added = '+' };

struct HunkLine {
  LineKind kind = LineKind::context;
  /// Exact bytes with the final newline, except if "\ No newline at end of file" follows.
  std::string text;
  bool operator==(const HunkLine&) const = default;
};

/// "@@ -old_start,old_count +new_start,new_count @@section" and its lines. A start is 1-based; if its count is 0, it is
/// the line before the hunk.
struct Hunk {
  std::uint32_t old_start = 0;
  std::uint32_t old_count = 0;
  std::uint32_t new_start = 0;
  std::uint32_t new_count = 0;
  std::string section;  ///< the text after the second "@@", with its space
  std::vector<HunkLine> lines;
  bool operator==(const Hunk&) const = default;
};

enum class BinaryMethod { literal, delta };

struct BinaryHunk {
  BinaryMethod method = BinaryMethod::literal;
  std::string data;  ///< inflated: the whole new content, or git's delta
  bool operator==(const BinaryHunk&) const = default;
};

struct BinaryChange {
  BinaryHunk forward;
  std::optional<BinaryHunk> reverse;
  bool operator==(const BinaryChange&) const = default;
};

enum class ChangeKind { modify, create, remove, rename, copy };

/// The change of one file. Paths are relative to the patch's root, without "a/" and "b/".
struct FilePatch {
  ChangeKind kind = ChangeKind::modify;
  std::string old_path;              ///< empty: the file is created
  std::string new_path;              ///< empty: the file is removed
  std::optional<FileMode> old_mode;  ///< as stated in the patch; never directory
  std::optional<FileMode> new_mode;  ///< absent: unchanged
  std::optional<int> similarity;     ///< percent, of renames and copies
  std::string old_id;                ///< blob ids of the index line, 4 to 40 hex digits, or both empty
  std::string new_id;
  std::vector<Hunk> hunks;
  std::optional<BinaryChange> binary;

  /// The path for messages: the new one, or that of a removed file.
  const std::string& path() const { return new_path.empty() ? old_path : new_path; }
  bool has_content() const { return !hunks.empty() || binary; }
  bool operator==(const FilePatch&) const = default;
};

struct PatchFile {
  std::string preamble;  ///< all text before the first file: header fields (review.h), a mail's header and message
  std::vector<FilePatch> files;
  bool operator==(const PatchFile&) const = default;
};

/// Reads a patch text line by line, and reports the position of errors.
class LineReader {
 public:
  /// `name` is the patch's, for messages. Both must outlive this.
  LineReader(std::string_view text, std::string_view name);

  bool at_end() const { return begin_ == text_.size(); }
  /// The current line without its newline; empty at the end.
  std::string_view line() const { return text_.substr(begin_, end_ - begin_); }
  /// The line after the current one, or empty text.
  std::string_view next_line() const;
  /// Returns false for a last line without newline.
  bool has_newline() const { return end_ < text_.size(); }
  void advance();
  /// The text before the current line.
  std::string_view text_before() const { return text_.substr(0, begin_); }

  /// Raises data: "patch 'NAME', line 7: WHY".
  [[noreturn]] void fail(const std::string& why, const std::string& hint = {}) const;
  /// Raises unsafe, with the same text.
  [[noreturn]] void refuse(const std::string& why, const std::string& hint = {}) const;

 private:
  std::string place() const;
  std::size_t line_end(std::size_t begin) const;

  std::string_view text_;
  std::string_view name_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  int number_ = 1;
};

// Parses one hunk of a text patch.

/// Parses "@@ -1,2 +1,3 @@ section" into a hunk without lines; returns nothing if the line is not exactly that. Numbers
/// have no sign and are below 2^31 (git lets larger ones wrap around, and then finds the hunk elsewhere).
std::optional<Hunk> parse_hunk_header(std::string_view line);

/// Parses the hunk whose header is the current line, and advances `in` past it. Raises data if header and lines
/// disagree, the text is truncated, nothing changes, or a line without newline is not the last of its side.
Hunk parse_hunk(LineReader& in);

// Patch text → PatchFile.

/// Parses a git patch, a mail or series of mails from git format-patch, or a plain unified diff. `name` is the patch's,
/// for messages. Stricter than git apply where that would silently lose a change: only header lines and a signature may
/// be between files and after the last one, no hunk may be outside a file, and a header that announces a content change
/// must have one. Raises data with the line, unsafe for modes and sizes. Paths are checked when the patch is applied.
PatchFile parse_patch(std::string_view text, std::string_view name);

/// Returns the paths that apply_patch may read for `patch`: those it names, and the directories above them, in case one
/// is a file.
std::set<std::string> touched_paths(const PatchFile& patch);

// Parts of a patch: names as quoted by git (git-config(1), core.quotePath), header lines, binary changes.

struct UnquotedName {
  std::string name;
  std::string_view rest;  ///< the text after the closing quote
};

/// Parses the quoted name at the start of `text`; returns nothing if it is malformed.
std::optional<UnquotedName> unquote_name(std::string_view text);

// The names in a file's header lines: "diff --git a/x b/x", "--- a/x", "+++ b/x". As in git apply -p1, the first
// component of each is removed, whatever it is.

/// Returns `name` without its first component; nothing if that leaves nothing, or if `name` begins with a slash. (git:
/// "unable to find filename".)
std::optional<std::string_view> strip_component(std::string_view name);

/// The name after "--- " or "+++ ".
struct SideName {
  bool is_null = false;    ///< "/dev/null"
  std::string name;        ///< stripped
  std::string_view after;  ///< the text after a tab: the time, in patches not from git
};

/// Returns nothing if the name cannot be parsed.
std::optional<SideName> parse_side_name(std::string_view text);

/// Returns the name on both sides of the text after "diff --git "; nothing if they differ. Unquoted names may contain
/// spaces, so the line is split where both halves are equal; a line longer than two quoted paths can be is ignored.
std::optional<std::string> common_header_name(std::string_view names);

/// Returns whether `names` ("a/x b/y") represents exactly these two.
bool header_names_are(std::string_view names, std::string_view old_name, std::string_view new_name);

// The header of one file's change, git's or the plain "---/+++" of diff -u.

/// Returns whether the current line begins a file: "diff --git a/x b/x", or "--- x" followed by "+++ x".
bool is_file_header(const LineReader& in);

/// Parses the header at the current line, up to the first "@@" or "GIT binary patch". Stricter than git: all names in
/// it must agree, and pairs of lines must be complete. Raises data, and unsafe for modes.
FilePatch parse_file_header(LineReader& in);

// "GIT binary patch": two deflated hunks in base 85; the second is the reverse of the first.

/// Decodes one line; returns nothing if it is malformed.
std::optional<std::string> decode_base85_line(std::string_view line);

/// Limit of content from a binary patch, and of an inflated hunk: 64 MiB.
inline constexpr std::size_t kMaxBinaryBytes = 64u << 20;

/// Parses the text after the current line "GIT binary patch". Raises data if it is malformed or a hunk does not have
/// exactly its declared size; unsafe if it declares more than kMaxBinaryBytes.
BinaryChange parse_binary(LineReader& in);

}  // namespace torchpatch::patch
