// SPDX-License-Identifier: BSD-3-Clause
#include "patch/apply.h"

#include <algorithm>

#include "support/find.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

/// 0-based line in the old file. If the count is 0, the start is the line before the hunk.
long stated_old_line(const Hunk& hunk) { return static_cast<long>(hunk.old_start) - (hunk.old_count > 0 ? 1 : 0); }
/// 0-based line in the file after the previous hunks are applied.
long stated_new_line(const Hunk& hunk) { return static_cast<long>(hunk.new_start) - (hunk.new_count > 0 ? 1 : 0); }

long growth(const Hunk& hunk) { return static_cast<long>(hunk.new_count) - static_cast<long>(hunk.old_count); }

bool is_inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

/// Returns a line for messages: quoted, without its newline; of a long one the part from `begin`, cut between
/// characters.
std::string show(std::string_view line, std::size_t begin) {
  constexpr std::size_t kShown = 60;
  const bool has_newline = line.ends_with('\n');
  const std::string_view text = line.substr(0, line.size() - (has_newline ? 1 : 0));
  if (text.size() <= kShown) begin = 0;
  while (is_inside_character(text, begin)) --begin;
  std::size_t end = std::min(begin + kShown, text.size());
  while (end > begin + 1 && is_inside_character(text, end)) --end;
  return concat(begin > 0 ? "…" : "", quote(text.substr(begin, end - begin)), end < text.size() ? "…" : "",
                has_newline ? "" : " without newline");
}

/// Returns where to show two lines from so that their first difference is visible, with some bytes before it.
std::size_t shown_from(std::string_view one, std::string_view other) {
  constexpr std::size_t kBefore = 20;
  const auto same =
      static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());  // ranges: of different lengths
  return same - std::min(same, kBefore);
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t length = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

HunkLocator::HunkLocator(std::string_view text) : lines_(split_lines(text)), is_taken_(lines_.size()) {}

HunkLocator::Pattern HunkLocator::make_pattern(const Hunk& hunk) {
  Pattern pattern;
  bool last_added_lacks_newline = false;
  for (const HunkLine& line : hunk.lines) {
    if (line.kind != LineKind::added) pattern.lines.push_back(line.text);
    if (line.kind == LineKind::context) pattern.has_context = true;
    if (line.kind == LineKind::added) last_added_lacks_newline = !line.text.ends_with('\n');
  }
  pattern.at_begin = hunk.old_start <= 1;
  pattern.at_end = hunk.lines.back().kind != LineKind::context || last_added_lacks_newline;
  return pattern;
}

bool HunkLocator::fits(const Pattern& pattern, std::size_t line) const {
  const std::size_t count = pattern.lines.size();
  if (line > lines_.size() || count > lines_.size() - line) return false;
  if (pattern.at_begin && line != 0) return false;
  if (pattern.at_end) {
    const bool is_end = line + count == lines_.size() && (placed_.empty() || placed_.back().line < line + count);
    if (!is_end) return false;
  }
  // Lines appended after a line without newline would be joined to it.
  if (count == 0 && line > 0 && !lines_[line - 1].ends_with('\n')) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (is_taken_[line + i] || lines_[line + i] != pattern.lines[i]) return false;
  return true;
}

const std::vector<std::uint32_t>& HunkLocator::occurrences(std::string_view line) {
  static const std::vector<std::uint32_t> kNone;
  if (index_.empty())
    for (std::size_t i = 0; i < lines_.size(); ++i) index_[lines_[i]].push_back(static_cast<std::uint32_t>(i));
  const std::vector<std::uint32_t>* const found = find_value(index_, line);
  return found ? *found : kNone;
}

/// Returns up to two places, enough to know whether there is exactly one. Tries only the occurrences of the pattern's
/// rarest line; a pattern without lines has one place, in an empty file. Without context the lines must be unique in
/// the whole file: those at its end, where git looks for such a hunk, may be the wrong ones.
std::vector<std::size_t> HunkLocator::find_elsewhere(Pattern pattern) {
  if (!pattern.has_context) pattern.at_begin = pattern.at_end = false;
  std::vector<std::size_t> places;
  const std::vector<std::uint32_t>* rarest = nullptr;
  std::size_t rarest_line = 0;
  for (std::size_t i = 0; i < pattern.lines.size(); ++i) {
    const std::vector<std::uint32_t>& candidates = occurrences(pattern.lines[i]);
    if (rarest != nullptr && candidates.size() >= rarest->size()) continue;
    rarest = &candidates;
    rarest_line = i;
  }
  if (rarest == nullptr) return lines_.empty() ? std::vector<std::size_t>{0} : places;
  for (const std::uint32_t found : *rarest) {
    if (found < rarest_line || !fits(pattern, found - rarest_line)) continue;
    places.push_back(found - rarest_line);
    if (places.size() == 2) break;
  }
  return places;
}

/// Returns the number of lines added by the hunks placed before `line`.
long HunkLocator::shift_before(std::size_t line) const {
  long shift = shift_;
  for (auto placed = placed_.rbegin(); placed != placed_.rend() && placed->end() > line; ++placed)
    shift -= growth(*placed->hunk);
  return shift;
}

void HunkLocator::take(const Hunk& hunk, std::size_t line, std::size_t count) {
  std::fill_n(is_taken_.begin() + static_cast<std::ptrdiff_t>(line), count, true);
  const auto behind =
      std::find_if(placed_.rbegin(), placed_.rend(), [&](const Placed& each) { return each.line <= line; });
  placed_.insert(behind.base(), {line, count, &hunk});
  shift_ += growth(hunk);
}

std::optional<Place> HunkLocator::place(const Hunk& hunk) {
  const Pattern pattern = make_pattern(hunk);
  const long old_line = stated_old_line(hunk);
  const long new_line = stated_new_line(hunk);
  const auto stated = static_cast<std::size_t>(old_line);
  // In a damaged or trimmed patch the two numbers may disagree, and hunks may be out of order; then neither number is
  // trusted. So a patch without moved hunks can be reversed at its stated lines.
  const bool is_in_order = placed_.empty() || placed_.back().end() <= stated;
  if (is_in_order && old_line + shift_ == new_line && fits(pattern, stated)) {
    take(hunk, stated, pattern.lines.size());
    return Place{stated, true, 0};
  }
  const std::vector<std::size_t> places = find_elsewhere(pattern);
  if (places.size() != 1 || !fits(pattern, places[0])) return std::nullopt;
  const std::size_t line = places[0];
  const long from_new = static_cast<long>(line) + shift_before(line) - new_line;
  take(hunk, line, pattern.lines.size());
  return Place{line, false, from_new != 0 ? from_new : static_cast<long>(line) - old_line};
}

void HunkLocator::pass_over(const Hunk& hunk) { shift_ += growth(hunk); }

std::string HunkLocator::first_difference(const Hunk& hunk, const Pattern& pattern) const {
  const auto begin = static_cast<std::size_t>(stated_old_line(hunk));
  for (std::size_t i = 0; i < pattern.lines.size(); ++i) {
    const std::size_t line = begin + i;
    const std::string place = concat("line ", line + 1, " should be ");
    if (line >= lines_.size())
      return concat(place, show(pattern.lines[i], 0), ", but the file has ", lines_.size(), " lines");
    if (lines_[line] != pattern.lines[i]) {
      const std::size_t from = shown_from(pattern.lines[i], lines_[line]);
      return concat(place, show(pattern.lines[i], from), ", but is ", show(lines_[line], from));
    }
    if (is_taken_[line]) return concat("line ", line + 1, " is changed by another hunk as well");
  }
  if (pattern.lines.empty())
    return "lines without context can only be added at the end of the file, at its stated line";
  if (pattern.at_begin && begin != 0) return "it matches only at the beginning of the file";
  if (pattern.at_end) return concat("it matches only at the end of the file, which has ", lines_.size(), " lines");
  return concat("its line numbers ", hunk.old_start, " and ", hunk.new_start,
                " disagree with each other or with the order of hunks");
}

std::string HunkLocator::explain(const Hunk& hunk) {
  const Pattern pattern = make_pattern(hunk);
  const std::vector<std::size_t> places = find_elsewhere(pattern);
  if (places.size() < 2) return first_difference(hunk, pattern);
  return concat("it does not match at line ", hunk.old_start, " but matches several other lines, such as ",
                places[0] + 1, " and ", places[1] + 1);
}

std::string HunkLocator::result() const {
  std::string text;
  std::size_t next = 0;
  const auto copy_until = [&](std::size_t end) {
    for (; next < end; ++next) text += lines_[next];
  };
  for (const Placed& placed : placed_) {
    copy_until(placed.line);
    for (const HunkLine& line : placed.hunk->lines)
      if (line.kind != LineKind::removed) text += line.text;
    next = placed.end();
  }
  copy_until(lines_.size());
  return text;
}

}  // namespace torchpatch::patch
