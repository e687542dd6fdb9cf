// SPDX-License-Identifier: BSD-3-Clause
#include "patch/hunk.h"

#include <algorithm>
#include <limits>

#include "support/text.h"

namespace torchpatch::patch {
namespace {

/// Removes `expected` from the front of `text`, if it is there.
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

/// Reads "start" or "start,count". A side with lines starts at line 1 or later.
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

/// How many lines of each side the header promises still.
struct Left {
  std::uint32_t old_lines;
  std::uint32_t new_lines;
};

void count_down(std::uint32_t& left, const LineReader& in) {
  if (left == 0) in.fail("the hunk has more lines than its header says");
  --left;
}

/// Returns the line's kind. An empty line is an empty context line whose space some program took off, as GNU diff does.
LineKind line_kind(const LineReader& in) {
  if (in.line().empty()) return LineKind::context;
  const auto kind = static_cast<LineKind>(in.line()[0]);
  if (kind != LineKind::context && kind != LineKind::removed && kind != LineKind::added)
    in.fail("the hunk has fewer lines than its header says, or this line is damaged");
  return kind;
}

/// The marker's words depend on the language of the diff that wrote them; git asks for twelve bytes.
bool is_no_newline_marker(const LineReader& in) {
  return in.has_newline() && starts_with(in.line(), "\\ ") && in.line().size() >= 11;
}

void read_line(LineReader& in, Left& left, Hunk& hunk) {
  if (!in.has_newline()) in.fail("the patch breaks off inside a hunk");
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

bool ends_with_newline(const HunkLine& line) { return !line.text.empty() && line.text.back() == '\n'; }

/// A line without newline can only be the last of a file, so no line of the same side may follow it.
bool has_newline_gap(const Hunk& hunk) {
  bool old_ended = false;
  bool new_ended = false;
  for (const HunkLine& line : hunk.lines) {
    const bool is_old = line.kind != LineKind::added;
    const bool is_new = line.kind != LineKind::removed;
    if ((is_old && old_ended) || (is_new && new_ended)) return true;
    if (ends_with_newline(line)) continue;
    old_ended = old_ended || is_old;
    new_ended = new_ended || is_new;
  }
  return false;
}

}  // namespace

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
  if (!in.has_newline()) in.fail("the patch breaks off inside a hunk");
  const LineReader header = in;
  in.advance();
  Left left{hunk->old_count, hunk->new_count};
  while (left.old_lines > 0 || left.new_lines > 0) read_line(in, left, *hunk);

  const auto is_change = [](const HunkLine& line) { return line.kind != LineKind::context; };
  if (std::none_of(hunk->lines.begin(), hunk->lines.end(), is_change)) header.fail("the hunk changes nothing");
  if (has_newline_gap(*hunk)) header.fail("a line without newline is not the last one of the hunk's file");
  return std::move(*hunk);
}

}  // namespace torchpatch::patch
