// SPDX-License-Identifier: BSD-3-Clause
/// A patch as a value, what `git diff --binary` writes in its own terms (PatchFile), and its text: parse_patch(), of
/// parts such as parse_file_header() and parse_binary(). The format: git-diff(1) "Generating patch text with -p";
/// binary hunks as git apply reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/path_rule.h"

namespace torchpatch::patch {

/// Digits of an object id that is written in full.
inline constexpr std::size_t kFullId = 40;

enum class LineKind : char { context = ' ', removed = '-', added = '+' };

struct HunkLine {
  LineKind kind = LineKind::context;
  /// Exact bytes with the final newline; without it where "\ No newline at end of file" follows.
  std::string text;
  bool operator==(const HunkLine&) const = default;
};

/// "@@ -old_start,old_count +new_start,new_count @@section" and its lines. A start is 1-based; where its count is 0 it
/// is the line after which the hunk stands.
struct Hunk {
  std::uint32_t old_start = 0;
  std::uint32_t old_count = 0;
  std::uint32_t new_start = 0;
  std::uint32_t new_count = 0;
  std::string section;  ///< what follows the second "@@", with its space
  std::vector<HunkLine> lines;
  bool operator==(const Hunk&) const = default;
};

enum class BinaryMethod { literal, delta };

struct BinaryHunk {
  BinaryMethod method = BinaryMethod::literal;
  std::string data;  ///< inflated: the whole new content, or git's delta against the old one
  bool operator==(const BinaryHunk&) const = default;
};

struct BinaryChange {
  BinaryHunk forward;
  std::optional<BinaryHunk> reverse;
  bool operator==(const BinaryChange&) const = default;
};

enum class ChangeKind { modify, create, remove, rename, copy };

/// What happens to one file. Paths are relative to the root the patch is for, without "a/" and "b/".
struct FilePatch {
  ChangeKind kind = ChangeKind::modify;
  std::string old_path;              ///< empty: the file is created
  std::string new_path;              ///< empty: the file is removed
  std::optional<FileMode> old_mode;  ///< as the patch states it; never directory
  std::optional<FileMode> new_mode;  ///< absent: the mode stays
  std::optional<int> similarity;     ///< percent, of renames and copies
  std::string old_id;                ///< blob ids of the index line, 4 to 40 hex digits, or both empty
  std::string new_id;
  std::vector<Hunk> hunks;
  std::optional<BinaryChange> binary;

  /// The path to speak of: the new one, or that of a removed file.
  const std::string& path() const { return new_path.empty() ? old_path : new_path; }
  bool has_content() const { return !hunks.empty() || binary; }
  bool operator==(const FilePatch&) const = default;
};

struct PatchFile {
  std::string preamble;  ///< all text before the first file: header fields (header.h), a mail's head and message
  std::vector<FilePatch> files;
  bool operator==(const PatchFile&) const = default;
};

/// Walks over the lines of a patch text and says where an error is.
class LineReader {
 public:
  /// `name` is the patch's, for messages. Neither is copied.
  LineReader(std::string_view text, std::string_view name);

  bool at_end() const { return begin_ == text_.size(); }
  /// The current line without its newline; empty at the end.
  std::string_view line() const { return text_.substr(begin_, end_ - begin_); }
  /// The line after the current one, or empty text.
  std::string_view next_line() const;
  /// False for a last line that the text breaks off in.
  bool has_newline() const { return end_ < text_.size(); }
  void advance();
  /// The text before the current line.
  std::string_view text_before() const { return text_.substr(0, begin_); }

  /// Raises data: "patch 'NAME', line 7: WHY".
  [[noreturn]] void fail(const std::string& why, const std::string& hint = {}) const;
  /// Raises unsafe, in the same words.
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

/// Returns a hunk without lines, made of "@@ -1,2 +1,3 @@ section"; nothing where the line is not exactly that. Numbers
/// have no sign and are below 2^31 (git lets larger ones wrap, and then finds the hunk elsewhere).
std::optional<Hunk> parse_hunk_header(std::string_view line);

/// Reads the hunk whose header is the current line, and leaves `in` behind it. Raises data where header and lines
/// disagree, the text breaks off, nothing changes, or a line without newline is not the last of its side.
Hunk parse_hunk(LineReader& in);

// Patch text → PatchFile.

/// Parses a git patch, a mail or a series of mails of git format-patch, or a plain unified diff. `name` is the patch's,
/// for messages. Stricter than git apply where that would lose a change in silence: nothing but
/// header lines and a signature may stand between files and behind the last one, no hunk may stand outside of a file,
/// and a header that promises a change of content must have it. Raises data with the line, unsafe for modes and sizes.
/// Paths are checked when the patch is applied.
PatchFile parse_patch(std::string_view text, std::string_view name);

/// Returns the paths that apply_patch may read for `patch`: those it names, and the directories above them,
/// where a file would be in the way.
std::set<std::string> touched_paths(const PatchFile& patch);

// Parts of a patch's text: names as git quotes them (git-config(1), core.quotePath), header lines, binary changes.

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
