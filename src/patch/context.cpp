// SPDX-License-Identifier: BSD-3-Clause
#include "patch/review.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "patch/apply.h"

namespace torchpatch::patch {

namespace {

using Lines = std::vector<std::string>;

/// Limits of the exact algorithm (a table of all pairs), as the product of both lengths: for whole lists, and for parts
/// of longer lists.
constexpr std::size_t kMostCells = 16'000'000, kMostCellsOfPart = 250'000;

/// Lengths of the longest common subsequences of the rests of two sequences, for each pair of positions.
class CommonLengths {
 public:
  /// `is_equal(i, j)`: whether value i before equals value j after.
  template <typename IsEqual>
  CommonLengths(std::size_t before, std::size_t after, IsEqual is_equal)
      : width_(after + 1), lengths_((before + 1) * width_, 0) {
    for (std::size_t i = before; i-- > 0;)
      for (std::size_t j = after; j-- > 0;)
        lengths_[i * width_ + j] = is_equal(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  /// If the values at i and j differ: whether to skip the one before rather than the one after.
  bool leaves_out_before(std::size_t i, std::size_t j) const { return at(i + 1, j) >= at(i, j + 1); }

 private:
  std::uint32_t at(std::size_t i, std::size_t j) const { return lengths_[i * width_ + j]; }

  std::size_t width_;
  std::vector<std::uint32_t> lengths_;
};

/// Calls `use(i, j)` for the pairs of a longest common subsequence, in order.
template <typename IsEqual, typename Use>
void common_pairs(std::size_t before, std::size_t after, IsEqual is_equal, Use use) {
  const CommonLengths common(before, after, is_equal);
  for (std::size_t i = 0, j = 0; i < before && j < after;)
    if (is_equal(i, j))
      use(i++, j++);
    else
      ++(common.leaves_out_before(i, j) ? i : j);
}

/// A line common to both sides: its number, equal for equal lines, and its index.
struct SharedLine {
  std::size_t id = 0;
  std::size_t at = 0;
};
using SharedLines = std::vector<SharedLine>;

/// Returns the lines of each side that also occur in the other: only these can be common.
std::array<SharedLines, 2> shared_lines(const Lines& before, const Lines& after) {
  struct Seen {
    std::size_t id = 0;
    bool is_before = false, is_after = false;
  };
  std::unordered_map<std::string_view, Seen> seen;
  for (const std::string& line : before)
    seen.try_emplace(line, Seen{seen.size(), false, false}).first->second.is_before = true;
  for (const std::string& line : after)
    seen.try_emplace(line, Seen{seen.size(), false, false}).first->second.is_after = true;
  std::array<SharedLines, 2> shared;
  const auto collect_of = [&](const Lines& lines, SharedLines& kept) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (const Seen& line = seen.at(lines[i]); line.is_before && line.is_after) kept.push_back({line.id, i});
  };
  collect_of(before, shared[0]);
  collect_of(after, shared[1]);
  return shared;
}

/// A common subsequence of long lists: E. W. Myers, "An O(ND) difference algorithm and its variations" (1986), in the
/// linear space of its section 4b. Searches for the middle of a shortest edit from both ends; if that takes more than
/// kMostSteps edits, uses the point furthest from the beginning instead.
class LongAligner {
 public:
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

  LongAligner(const SharedLines& before, const SharedLines& after)
      : before_(before), after_(after), forward_(2 * kMostSteps + 3), backward_(2 * kMostSteps + 3) {}

  /// Returns the pairs of common positions, in order.
  Pairs run() {
    std::vector<Part> todo = {{0, before_.size(), 0, after_.size()}};
    while (!todo.empty()) {
      Part part = todo.back();
      todo.pop_back();
      std::vector<Part> parts = split(part);  // after the common prefix; the common suffix becomes a separate part
      todo.insert(todo.end(), parts.rbegin(), parts.rend());
    }
    return std::move(pairs_);
  }

 private:
  static constexpr long kMostSteps = 400;

  /// Lines [before, before_end) against [after, after_end).
  struct Part {
    std::size_t before = 0, before_end = 0, after = 0, after_end = 0;
    std::size_t removed() const { return before_end - before; }
    std::size_t added() const { return after_end - after; }
    bool is_empty() const { return removed() == 0 || added() == 0; }
  };

  bool is_equal(std::size_t i, std::size_t j) const { return before_[i].id == after_[j].id; }
  void add(std::size_t i, std::size_t j) { pairs_.emplace_back(before_[i].at, after_[j].at); }

  /// Adds the obvious pairs of a part, and returns what remains to be compared, in order.
  std::vector<Part> split(Part part) {
    while (!part.is_empty() && is_equal(part.before, part.after)) add(part.before++, part.after++);
    Part tail{part.before_end, part.before_end, part.after_end, part.after_end};
    while (!part.is_empty() && is_equal(part.before_end - 1, part.after_end - 1)) {
      tail.before = --part.before_end;
      tail.after = --part.after_end;
    }
    if (part.is_empty()) return with_tail({}, tail);
    if ((part.removed() + 1) * (part.added() + 1) <= kMostCellsOfPart) {
      common_pairs(
          part.removed(), part.added(),
          [&](std::size_t i, std::size_t j) { return is_equal(part.before + i, part.after + j); },
          [&](std::size_t i, std::size_t j) { add(part.before + i, part.after + j); });
      return with_tail({}, tail);
    }
    const auto [i, j] = middle(part);
    return with_tail({{part.before, i, part.after, j}, {i, part.before_end, j, part.after_end}}, tail);
  }

  static std::vector<Part> with_tail(std::vector<Part> parts, const Part& tail) {
    if (!tail.is_empty()) parts.push_back(tail);
    return parts;
  }

  /// Returns a point on a shortest edit of the part, or on a short one; never its beginning or end.
  std::pair<std::size_t, std::size_t> middle(const Part& part) {
    const long width = static_cast<long>(part.removed()), height = static_cast<long>(part.added());
    const long delta = width - height;
    const auto is_match = [&](long x, long y) {
      return is_equal(part.before + static_cast<std::size_t>(x), part.after + static_cast<std::size_t>(y));
    };
    const auto point = [&](long x, long y) {
      return std::pair(part.before + static_cast<std::size_t>(x), part.after + static_cast<std::size_t>(y));
    };
    // forward(k): furthest x on diagonal x - y = k; backward(k): the same from the end, on x - y = delta - k.
    const auto forward = [&](long k) -> long& { return forward_[static_cast<std::size_t>(k + kMostSteps + 1)]; };
    const auto backward = [&](long k) -> long& { return backward_[static_cast<std::size_t>(k + kMostSteps + 1)]; };
    const auto next = [](const auto& reached, long k, long steps) {
      const bool is_down = k == -steps || (k != steps && reached(k - 1) < reached(k + 1));
      return is_down ? reached(k + 1) : reached(k - 1) + 1;
    };
    forward(1) = backward(1) = 0;
    for (long steps = 0; steps <= kMostSteps; ++steps) {
      for (long k = -steps; k <= steps; k += 2) {
        long x = next(forward, k, steps);
        while (x < width && x - k < height && is_match(x, x - k)) ++x;
        forward(k) = x;
        const long opposite = delta - k;
        if (delta % 2 != 0 && opposite > -steps && opposite < steps && x + backward(opposite) >= width)
          return point(x, x - k);
      }
      for (long k = -steps; k <= steps; k += 2) {
        long x = next(backward, k, steps);
        while (x < width && x - k < height && is_match(width - 1 - x, height - 1 - (x - k))) ++x;
        backward(k) = x;
        const long opposite = delta - k;
        if (delta % 2 == 0 && opposite >= -steps && opposite <= steps && x + forward(opposite) >= width)
          return point(width - x, height - (x - k));
      }
    }
    return furthest(width, height, forward, point);
  }

  /// Returns the point with the most lines before it among the diagonals reached from the beginning.
  template <typename Forward, typename Point>
  static std::pair<std::size_t, std::size_t> furthest(long width, long height, const Forward& forward,
                                                      const Point& point) {
    long best_x = 0, best_y = 0;
    for (long k = -kMostSteps; k <= kMostSteps; k += 2) {
      const long x = forward(k), y = x - k;  // a diagonal that left the part continues outside
      if (x <= width && y <= height && x + y > best_x + best_y) std::tie(best_x, best_y) = std::pair(x, y);
    }
    return point(best_x, best_y);
  }

  const SharedLines& before_;
  const SharedLines& after_;
  std::vector<long> forward_, backward_;
  Pairs pairs_;
};

/// Returns the positions of the common lines, in order.
LongAligner::Pairs common_places(const Lines& before, const Lines& after) {
  LongAligner::Pairs pairs;
  if ((before.size() + 1) * (after.size() + 1) <= kMostCells) {
    common_pairs(
        before.size(), after.size(), [&](std::size_t i, std::size_t j) { return before[i] == after[j]; },
        [&](std::size_t i, std::size_t j) { pairs.emplace_back(i, j); });
    return pairs;
  }
  const std::array<SharedLines, 2> shared = shared_lines(before, after);
  return LongAligner(shared[0], shared[1]).run();
}

/// Returns all lines of both sides in order; removed before added ones.
std::vector<HunkLine> align(const Lines& before, const Lines& after) {
  std::vector<HunkLine> lines;
  std::size_t i = 0, j = 0;
  const auto leave_out_until = [&](std::size_t before_end, std::size_t after_end) {
    while (i < before_end) lines.push_back({LineKind::removed, before[i++] + "\n"});
    while (j < after_end) lines.push_back({LineKind::added, after[j++] + "\n"});
  };
  for (const auto& [common_before, common_after] : common_places(before, after)) {
    leave_out_until(common_before, common_after);
    lines.push_back({LineKind::context, before[i++] + "\n"});
    ++j;
  }
  leave_out_until(before.size(), after.size());
  return lines;
}

/// Limit of tokens of both sides together; larger changes are shown by line.
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

/// Splits lines, without newlines, into words, runs of blanks, and single other characters. Parts of a snake_case name
/// are separate words.
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
  common_pairs(
      before.size(), after.size(), [&](std::size_t i, std::size_t j) { return before[i].text == after[j].text; },
      [&](std::size_t i, std::size_t j) { before[i].is_common = after[j].is_common = true; });
}

/// Marks a blank between two changed words as changed: one mark reads better than two.
void join_over_blanks(Tokens& tokens) {
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const bool is_inside = tokens[i - 1].line == tokens[i].line && tokens[i + 1].line == tokens[i].line;
    if (!is_inside || !tokens[i].is_common || class_of(tokens[i].text.front()) != Class::blank) continue;
    tokens[i].is_common = tokens[i - 1].is_common || tokens[i + 1].is_common;
  }
}

/// Returns the number of non-blank bytes, of all tokens or only of common ones.
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

/// A removed or added line, and the line of the old file (0-based) that it is or precedes.
struct Change {
  const HunkLine* line = nullptr;
  std::size_t at = 0;
  std::size_t end() const { return at + (line->kind == LineKind::removed ? 1 : 0); }
};

/// Appends the changes in lines placed at a line of the old file.
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
  // Hunks off their stated lines may be in a different order than in the patch.
  std::ranges::stable_sort(changes, {}, &Change::at);
  return changes;
}

/// Builds hunks from a file's changes, in order.
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

  /// Completes the last hunk. A start is 1-based; for an empty side it is the line before.
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
  std::size_t next_ = 0;  ///< the first old line after the last hunk
  std::size_t end_ = 0;   ///< after the last change
  long shift_ = 0;        ///< lines added by the hunks so far
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
