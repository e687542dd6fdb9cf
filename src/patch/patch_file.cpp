// SPDX-License-Identifier: BSD-3-Clause
#include "patch/patch_file.h"

#include <algorithm>
#include <array>
#include <limits>

#include "patch/apply.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::patch {

namespace {

/// Removes the prefix `expected` from `text`, if present.
bool take(std::string_view& text, std::string_view expected) {
  if (!starts_with(text, expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::optional<std::uint32_t> take_number(std::string_view& text) {
  const std::size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<std::uint64_t> value = parse_decimal(text.substr(0, length));
  if (!value || *value > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  text.remove_prefix(length);
  return static_cast<std::uint32_t>(*value);
}

/// Parses "start" or "start,count". A side with lines starts at line 1 or later.
bool take_range(std::string_view& text, std::uint32_t& start, std::uint32_t& count) {
  const std::optional<std::uint32_t> first = take_number(text);
  if (!first) return false;
  start = *first;
  count = 1;
  if (take(text, ",")) {
    const std::optional<std::uint32_t> second = take_number(text);
    if (!second) return false;
    count = *second;
  }
  return start > 0 || count == 0;
}

/// The number of lines of each side still expected by the header.
struct Left {
  std::uint32_t old_lines;
  std::uint32_t new_lines;
};

void count_down(std::uint32_t& left, const LineReader& in) {
  if (left == 0) in.fail("the hunk has more lines than its header declares");
  --left;
}

/// Returns the line's kind. An empty line is an empty context line whose space was stripped, as GNU diff may do.
LineKind line_kind(const LineReader& in) {
  if (in.line().empty()) return LineKind::context;
  const auto kind = static_cast<LineKind>(in.line()[0]);
  if (kind != LineKind::context && kind != LineKind::removed && kind != LineKind::added)
    in.fail("the hunk has fewer lines than its header declares, or this line is damaged");
  return kind;
}

/// The marker's text depends on the locale of the diff that wrote it; git requires twelve bytes.
bool is_no_newline_marker(const LineReader& in) {
  return in.has_newline() && starts_with(in.line(), "\\ ") && in.line().size() >= 11;
}

void read_line(LineReader& in, Left& left, Hunk& hunk) {
  if (!in.has_newline()) in.fail("the patch ends inside a hunk");
  HunkLine line;
  line.kind = line_kind(in);
  if (line.kind != LineKind::added) count_down(left.old_lines, in);
  if (line.kind != LineKind::removed) count_down(left.new_lines, in);
  line.text = std::string(in.line().substr(in.line().empty() ? 0 : 1)) + '\n';
  in.advance();
  if (is_no_newline_marker(in)) {
    line.text.pop_back();
    in.advance();
  }
  hunk.lines.push_back(std::move(line));
}

/// Returns whether a line without newline, which must be a file's last, is followed by another of the same side.
bool has_newline_gap(const Hunk& hunk) {
  bool old_ended = false;
  bool new_ended = false;
  for (const HunkLine& line : hunk.lines) {
    const bool is_old = line.kind != LineKind::added;
    const bool is_new = line.kind != LineKind::removed;
    if ((is_old && old_ended) || (is_new && new_ended)) return true;
    if (line.text.ends_with('\n')) continue;
    old_ended = old_ended || is_old;
    new_ended = new_ended || is_new;
  }
  return false;
}

constexpr std::string_view kBinary = "GIT binary patch";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_binary_notice(std::string_view line) {
  return (starts_with(line, "Binary files ") || starts_with(line, "Files ")) && ends_with(line, " differ");
}

/// Header lines that never occur in prose; after a damaged "diff --git" line they would be taken for it.
bool is_mode_line(std::string_view line) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"old mode ", "new mode ", "new file mode ",
                                                         "deleted file mode ", "similarity index "};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
    return starts_with(line, prefix) && line.size() > prefix.size() && line[prefix.size()] >= '0' &&
           line[prefix.size()] <= '9';
  });
}

/// Refuses lines that only occur in a patch outside of a file: their change would be lost.
void check_stray(const LineReader& in) {
  const std::string_view line = in.line();
  if (starts_with(line, "@@ -") || line == kBinary) in.fail("a hunk without a file header before it");
  if (is_binary_notice(line))
    in.fail("this change of a binary file has no data", "make the patch with git diff --binary");
  if (is_mode_line(line)) in.fail("a header line without 'diff --git' before it");
  if (starts_with(line, "diff ") && line.find(" --git ") != std::string_view::npos) in.fail("damaged file header");
  if (starts_with(line, "diff --")) in.fail("this diff format is not supported", "make the patch with git diff");
}

/// Skips free text before the first file and between mails.
void skip_text(LineReader& in) {
  for (; !in.at_end() && !is_file_header(in); in.advance()) check_stray(in);
}

/// Lines that other programs write before a file's header, and blank ones.
bool is_between_files(std::string_view line) {
  return line.empty() || starts_with(line, "Index: ") || starts_with(line, "======") || starts_with(line, "diff ") ||
         starts_with(line, "Only in ");
}

/// Skips what is allowed after a file: almost nothing, until a mail's signature ends its patch.
void skip_after_file(LineReader& in) {
  for (; !in.at_end() && !is_file_header(in); in.advance()) {
    if (!in.has_newline()) in.fail("the patch ends inside a line");
    if (in.line() == "-- " || in.line() == "--" || starts_with(in.line(), "From ")) return skip_text(in);
    check_stray(in);
    if (!is_between_files(in.line()))
      in.fail(concat("this line is not part of a patch: ", quote(in.line().substr(0, 80))));
  }
}

/// Returns whether `id`, possibly abbreviated, is that of an empty file.
bool is_empty_blob(const std::string& id) { return !id.empty() && starts_with(git_blob_id("").hex(), id); }

void check_without_content(const LineReader& header, const FilePatch& file) {
  switch (file.kind) {
    case ChangeKind::create:
      if (!is_empty_blob(file.new_id))
        header.fail("the created file has no content, but no index line shows that it is empty");
      return;
    case ChangeKind::remove:
      if (!is_empty_blob(file.old_id))
        header.fail("the removed file's content is missing, but no index line shows that it is empty");
      return;
    case ChangeKind::rename:
    case ChangeKind::copy:
      if (file.old_id != file.new_id || file.similarity.value_or(100) != 100)
        header.fail("the header announces changed lines, but there are none");
      return;
    case ChangeKind::modify:
      if (file.old_id != file.new_id) header.fail("the header announces a changed file, but no hunk follows");
      if (!file.old_mode || !file.new_mode || file.old_mode == file.new_mode)
        header.fail("this header changes nothing");
      return;
  }
}

void check_hunks(const LineReader& header, const FilePatch& file) {
  const bool has_old = std::ranges::any_of(file.hunks, [](const Hunk& hunk) { return hunk.old_count > 0; });
  const bool has_new = std::ranges::any_of(file.hunks, [](const Hunk& hunk) { return hunk.new_count > 0; });
  if (file.kind == ChangeKind::create && has_old) header.fail("the created file has context or removed lines");
  if (file.kind == ChangeKind::remove && has_new) header.fail("the removed file has context or added lines");
}

/// git identifies a binary change's file by ids; without both in full it cannot be checked.
void check_binary(const LineReader& header, const FilePatch& file) {
  if (file.old_id.size() != kFullId || file.new_id.size() != kFullId)
    header.fail("a binary change needs an index line with two full ids",
                "make the patch with git diff --binary --full-index");
  const bool was_there = file.old_id != std::string(kFullId, '0');
  const bool is_there = file.new_id != std::string(kFullId, '0');
  if (was_there == (file.kind == ChangeKind::create) || is_there == (file.kind == ChangeKind::remove))
    header.fail("the ids of the index line contradict the header");
}

/// Raises data at `header`, the first line of the file, if header and content disagree: a created file with old lines,
/// a removed one that keeps some, an index line with two ids and no content (a truncated patch), a binary change
/// without full ids, or no change at all.
void check_file_patch(const LineReader& header, const FilePatch& file) {
  if (!file.has_content()) return check_without_content(header, file);
  check_hunks(header, file);
  if (file.binary) check_binary(header, file);
}

FilePatch parse_file(LineReader& in) {
  const LineReader header = in;
  FilePatch file = parse_file_header(in);
  while (starts_with(in.line(), "@@")) file.hunks.push_back(parse_hunk(in));
  if (file.hunks.empty() && in.line() == kBinary) file.binary = parse_binary(in);
  if (!file.has_content() && !in.at_end() && !is_file_header(in)) check_stray(in);
  check_file_patch(header, file);
  return file;
}

[[noreturn]] void fail(const FilePatch& file, const std::string& why) {
  throw PatchError(concat("reverting the change of ", quote(file.path()), ": ", why));
}

Hunk reverse_hunk(Hunk hunk) {
  std::swap(hunk.old_start, hunk.new_start);
  std::swap(hunk.old_count, hunk.new_count);
  for (HunkLine& line : hunk.lines) {
    if (line.kind == LineKind::context) continue;
    line.kind = line.kind == LineKind::added ? LineKind::removed : LineKind::added;
  }
  return hunk;
}

FilePatch reverse_file(const FilePatch& file) {
  if (file.kind == ChangeKind::copy) fail(file, "a copy cannot be reverted");
  const bool is_created = file.kind == ChangeKind::create, is_removed = file.kind == ChangeKind::remove;
  FilePatch reverse = file;
  reverse.kind = is_created ? ChangeKind::remove : is_removed ? ChangeKind::create : file.kind;
  std::swap(reverse.old_path, reverse.new_path);
  std::swap(reverse.old_id, reverse.new_id);
  // A mode on the index line is that of both sides.
  if (is_created || is_removed || file.new_mode) std::swap(reverse.old_mode, reverse.new_mode);
  std::ranges::transform(file.hunks, reverse.hunks.begin(), reverse_hunk);
  if (file.binary) {
    if (!file.binary->reverse) fail(file, "the binary patch has no reverse data");
    std::swap(reverse.binary->forward, *reverse.binary->reverse);
  }
  return reverse;
}

}  // namespace

LineReader::LineReader(std::string_view text, std::string_view name) : text_(text), name_(name), end_(line_end(0)) {}

std::size_t LineReader::line_end(std::size_t begin) const { return std::min(text_.find('\n', begin), text_.size()); }

std::string_view LineReader::next_line() const {
  if (!has_newline()) return {};
  return text_.substr(end_ + 1, line_end(end_ + 1) - end_ - 1);
}

void LineReader::advance() {
  begin_ = std::min(end_ + 1, text_.size());
  end_ = line_end(begin_);
  ++number_;
}

std::string LineReader::place() const { return concat("patch ", quote(name_), ", line ", number_, ": "); }

void LineReader::fail(const std::string& why, const std::string& hint) const {
  throw Error(ErrorKind::data, place() + why, hint);
}

void LineReader::refuse(const std::string& why, const std::string& hint) const {
  throw Error(ErrorKind::unsafe, place() + why, hint);
}

std::optional<Hunk> parse_hunk_header(std::string_view line) {
  Hunk hunk;
  const bool is_header = take(line, "@@ -") && take_range(line, hunk.old_start, hunk.old_count) && take(line, " +") &&
                         take_range(line, hunk.new_start, hunk.new_count) && take(line, " @@");
  if (!is_header) return std::nullopt;
  hunk.section = std::string(line);
  return hunk;
}

Hunk parse_hunk(LineReader& in) {
  std::optional<Hunk> hunk = parse_hunk_header(in.line());
  if (!hunk) in.fail(concat("malformed hunk header ", quote(in.line().substr(0, 80))));
  if (!in.has_newline()) in.fail("the patch ends inside a hunk");
  const LineReader header = in;
  in.advance();
  Left left{hunk->old_count, hunk->new_count};
  while (left.old_lines > 0 || left.new_lines > 0) read_line(in, left, *hunk);

  const bool is_change = std::ranges::any_of(hunk->lines, [](auto& line) { return line.kind != LineKind::context; });
  if (!is_change) header.fail("the hunk changes nothing");
  if (has_newline_gap(*hunk)) header.fail("a line without newline is not the last one of the hunk's file");
  return std::move(*hunk);
}

PatchFile parse_patch(std::string_view text, std::string_view name) {
  LineReader in(text, name);
  if (starts_with(text, kByteOrderMark)) in.fail("the patch begins with a byte order mark");
  skip_text(in);
  PatchFile patch;
  patch.preamble = std::string(in.text_before());
  while (!in.at_end()) {
    patch.files.push_back(parse_file(in));
    skip_after_file(in);
  }
  if (patch.files.empty()) in.fail("no file change found", "make the patch with git diff or git format-patch");
  return patch;
}

std::set<std::string> touched_paths(const PatchFile& patch) {
  std::set<std::string> paths;
  const auto insert = [&](const std::string& path) {
    if (path.empty()) return;
    paths.insert(path);
    for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = path.rfind('/', slash - 1))
      paths.insert(path.substr(0, slash));
  };
  for (const FilePatch& file : patch.files) {
    insert(file.old_path);
    insert(file.new_path);
  }
  return paths;
}

PatchFile reverse_patch(const PatchFile& patch) {
  PatchFile reverse;
  for (auto file = patch.files.rbegin(); file != patch.files.rend(); ++file)
    reverse.files.push_back(reverse_file(*file));
  // Removals first: they make room for other files.
  std::stable_partition(reverse.files.begin(), reverse.files.end(),
                        [](const FilePatch& file) { return file.kind == ChangeKind::remove; });
  return reverse;
}

}  // namespace torchpatch::patch
