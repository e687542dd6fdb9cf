// SPDX-License-Identifier: BSD-3-Clause
#include "patch/context.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "patch/apply.h"
#include "patch/locate_hunk.h"

namespace torchpatch::patch {

namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kMostCells = 16'000'000;

/// How long the longest common subsequences are of what is left of two sequences, from each pair of places on.
class CommonLengths {
 public:
  /// `is_equal`: whether the i-th value before is the j-th after.
  template <typename IsEqual>
  CommonLengths(std::size_t before, std::size_t after, IsEqual is_equal)
      : width_(after + 1), lengths_((before + 1) * width_, 0) {
    for (std::size_t i = before; i-- > 0;)
      for (std::size_t j = after; j-- > 0;)
        lengths_[i * width_ + j] = is_equal(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  /// Where the values at i and j differ: whether the one before is left out rather than the one after.
  bool leaves_out_before(std::size_t i, std::size_t j) const { return at(i + 1, j) >= at(i, j + 1); }

 private:
  std::uint32_t at(std::size_t i, std::size_t j) const { return lengths_[i * width_ + j]; }

  std::size_t width_;
  std::vector<std::uint32_t> lengths_;
};

/// All lines of both sides in order; removed ones before added ones.
std::vector<HunkLine> align(const Lines& before, const Lines& after) {
  std::vector<HunkLine> lines;
  std::size_t i = 0, j = 0;
  if ((before.size() + 1) * (after.size() + 1) <= kMostCells) {
    const CommonLengths common(before.size(), after.size(),
                               [&](std::size_t a, std::size_t b) { return before[a] == after[b]; });
    while (i < before.size() && j < after.size()) {
      if (before[i] == after[j]) {
        lines.push_back({LineKind::context, before[i++] + "\n"});
        ++j;
      } else if (common.leaves_out_before(i, j)) {
        lines.push_back({LineKind::removed, before[i++] + "\n"});
      } else {
        lines.push_back({LineKind::added, after[j++] + "\n"});
      }
    }
  }
  while (i < before.size()) lines.push_back({LineKind::removed, before[i++] + "\n"});
  while (j < after.size()) lines.push_back({LineKind::added, after[j++] + "\n"});
  return lines;
}

/// Tokens of both sides together; a larger change is shown line by line.
constexpr std::size_t kMaxTokens = 2000;

struct Token {
  std::string_view text;
  std::size_t line = 0;   ///< index in the hunk
  std::size_t begin = 0;  ///< in the line
  bool is_common = false;
};
using Tokens = std::vector<Token>;

enum class Class { word, blank, other };

Class class_of(char c) {
  if (c == ' ' || c == '\t' || c == '\r' || c == '\n') return Class::blank;
  const auto byte = static_cast<unsigned char>(c);
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_letter || byte >= 0x80 ? Class::word : Class::other;
}

/// Splits lines, without their ends, into words, runs of blanks, and single other characters: parts of a snake_case
/// name are words of their own.
Tokens tokens_of(const std::vector<HunkLine>& lines, std::size_t first, std::size_t last) {
  Tokens tokens;
  for (std::size_t line = first; line < last; ++line) {
    std::string_view text = lines[line].text;
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (std::size_t begin = 0; begin < text.size();) {
      const Class kind = class_of(text[begin]);
      std::size_t end = begin + 1;
      while (kind != Class::other && end < text.size() && class_of(text[end]) == kind) ++end;
      tokens.push_back({text.substr(begin, end - begin), line, begin});
      begin = end;
    }
  }
  return tokens;
}

/// Marks a longest common subsequence on both sides.
void mark_common(Tokens& before, Tokens& after) {
  const CommonLengths common(before.size(), after.size(),
                             [&](std::size_t a, std::size_t b) { return before[a].text == after[b].text; });
  for (std::size_t i = 0, j = 0; i < before.size() && j < after.size();)
    if (before[i].text == after[j].text)
      before[i++].is_common = after[j++].is_common = true;
    else
      ++(common.leaves_out_before(i, j) ? i : j);
}

/// A blank between two words that changed changes with them: one mark reads better than two.
void join_over_blanks(Tokens& tokens) {
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const bool is_inside = tokens[i - 1].line == tokens[i].line && tokens[i + 1].line == tokens[i].line;
    if (!is_inside || !tokens[i].is_common || class_of(tokens[i].text.front()) != Class::blank) continue;
    tokens[i].is_common = tokens[i - 1].is_common || tokens[i + 1].is_common;
  }
}

/// Bytes that are no blanks: of common tokens alone, or of all.
std::size_t weight(const Tokens& tokens, bool of_common) {
  std::size_t bytes = 0;
  for (const Token& token : tokens)
    if ((token.is_common || !of_common) && class_of(token.text.front()) != Class::blank) bytes += token.text.size();
  return bytes;
}

void add_spans(const Tokens& tokens, std::vector<std::vector<WordSpan>>& spans) {
  for (const Token& token : tokens) {
    if (token.is_common) continue;
    std::vector<WordSpan>& line = spans[token.line];
    const std::size_t end = token.begin + token.text.size();
    if (!line.empty() && line.back().end == token.begin)
      line.back().end = end;
    else
      line.push_back({token.begin, end});
  }
}

/// A removed or added line, and the line of the old file (0-based) that it is or stands before.
struct Change {
  const HunkLine* line = nullptr;
  std::size_t at = 0;
  std::size_t end() const { return at + (line->kind == LineKind::removed ? 1 : 0); }
};

/// Appends the changes of lines that stand at a line of the old file.
void add_changes(const std::vector<HunkLine>& lines, std::size_t at, std::vector<Change>& changes) {
  for (const HunkLine& line : lines) {
    if (line.kind != LineKind::context) changes.push_back({&line, at});
    if (line.kind != LineKind::added) ++at;
  }
}

std::vector<Change> changes_of(const std::vector<Hunk>& hunks, std::string_view before, const std::string& path) {
  HunkLocator locator(before);
  std::vector<Change> changes;
  for (std::size_t i = 0; i < hunks.size(); ++i) {
    const std::optional<Place> place = locator.place(hunks[i]);
    if (!place) throw ApplyError(Failure::conflict, path, locator.explain(hunks[i]), static_cast<int>(i + 1));
    add_changes(hunks[i].lines, place->line, changes);
  }
  // Hunks off their lines may come in another order than they stand in.
  std::ranges::stable_sort(changes, {}, &Change::at);
  return changes;
}

/// Builds hunks from the changes of a file, in order.
class Widener {
 public:
  Widener(std::vector<std::string_view> before, std::size_t context) : lines_(std::move(before)), context_(context) {}

  std::vector<Hunk> build(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      if (hunks_.empty() || change.at > end_ + 2 * context_) begin(change);
      keep_until(change.at);
      add(change.line->kind, change.line->text);
      end_ = change.end();
    }
    finish();
    return std::move(hunks_);
  }

 private:
  void begin(const Change& change) {
    finish();
    next_ = change.at - std::min(change.at, context_);
    Hunk hunk;
    hunk.old_start = number(next_);
    hunk.new_start = static_cast<std::uint32_t>(static_cast<long>(next_) + shift_);
    hunks_.push_back(std::move(hunk));
  }

  /// Ends the last hunk. A start is 1-based, but where the side is empty it is the line before.
  void finish() {
    if (hunks_.empty()) return;
    keep_until(std::min(end_ + context_, lines_.size()));
    Hunk& hunk = hunks_.back();
    if (hunk.old_count > 0) ++hunk.old_start;
    if (hunk.new_count > 0) ++hunk.new_start;
    shift_ += static_cast<long>(hunk.new_count) - static_cast<long>(hunk.old_count);
  }

  void keep_until(std::size_t line) {
    while (next_ < line) add(LineKind::context, std::string(lines_[next_]));
  }

  void add(LineKind kind, std::string text) {
    Hunk& hunk = hunks_.back();
    hunk.lines.push_back({kind, std::move(text)});
    if (kind != LineKind::added) {
      ++hunk.old_count;
      ++next_;
    }
    if (kind != LineKind::removed) ++hunk.new_count;
  }

  static std::uint32_t number(std::size_t line) { return static_cast<std::uint32_t>(line); }

  std::vector<std::string_view> lines_;
  std::size_t context_;
  std::vector<Hunk> hunks_;
  std::size_t next_ = 0;  ///< the first old line that is not in a hunk yet
  std::size_t end_ = 0;   ///< behind the last change
  long shift_ = 0;        ///< lines that the hunks so far add
};

}  // namespace

std::vector<Hunk> diff_lines(const Lines& before, const Lines& after, std::size_t context) {
  const std::vector<HunkLine> lines = align(before, after);
  std::vector<std::string_view> old_lines;
  for (const HunkLine& line : lines)
    if (line.kind != LineKind::added) old_lines.push_back(line.text);
  std::vector<Change> changes;
  add_changes(lines, 0, changes);
  return Widener(std::move(old_lines), context).build(changes);
}

std::vector<std::vector<WordSpan>> word_changes(const Hunk& hunk) {
  std::vector<std::vector<WordSpan>> spans(hunk.lines.size());
  const auto end_of_run = [&](std::size_t line, LineKind kind) {
    while (line < hunk.lines.size() && hunk.lines[line].kind == kind) ++line;
    return line;
  };
  for (std::size_t line = 0; line < hunk.lines.size();) {
    const std::size_t middle = end_of_run(line, LineKind::removed);
    const std::size_t end = end_of_run(middle, LineKind::added);
    if (middle > line && end > middle) {
      Tokens before = tokens_of(hunk.lines, line, middle), after = tokens_of(hunk.lines, middle, end);
      if (before.size() + after.size() <= kMaxTokens) {
        mark_common(before, after);
        const bool is_alike =
            3 * (weight(before, true) + weight(after, true)) >= weight(before, false) + weight(after, false);
        if (is_alike) {
          join_over_blanks(before);
          join_over_blanks(after);
          add_spans(before, spans);
          add_spans(after, spans);
        }
      }
    }
    line = std::max(end, line + 1);
  }
  return spans;
}

std::vector<Hunk> widen_context(const std::vector<Hunk>& hunks, std::string_view before, std::size_t context,
                                const std::string& path) {
  return Widener(split_lines(before), context).build(changes_of(hunks, before, path));
}

}  // namespace torchpatch::patch
