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

/// All lines of both sides in order; removed ones before added ones.
std::vector<HunkLine> align(const Lines& before, const Lines& after) {
  const std::size_t width = after.size() + 1;
  const bool is_small = (before.size() + 1) * width <= kMostCells;
  // lengths[i * width + j]: of the longest common subsequence of before from i on and after from j on.
  std::vector<std::uint32_t> lengths(is_small ? (before.size() + 1) * width : 0, 0);
  for (std::size_t i = before.size(); is_small && i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      const std::size_t at = i * width + j;
      lengths[at] =
          before[i] == after[j] ? lengths[at + width + 1] + 1 : std::max(lengths[at + width], lengths[at + 1]);
    }
  }
  std::vector<HunkLine> lines;
  std::size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    const bool has_both = i < before.size() && j < after.size();
    if (has_both && is_small && before[i] == after[j]) {
      lines.push_back({LineKind::context, before[i++] + "\n"});
      ++j;
    } else if (j == after.size() ||
               (has_both && (!is_small || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]))) {
      lines.push_back({LineKind::removed, before[i++] + "\n"});
    } else {
      lines.push_back({LineKind::added, after[j++] + "\n"});
    }
  }
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
  const std::size_t width = after.size() + 1;
  // lengths[i * width + j]: of the longest common subsequence of before from i on and after from j on.
  std::vector<std::size_t> lengths((before.size() + 1) * width, 0);
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      const std::size_t at = i * width + j;
      lengths[at] = before[i].text == after[j].text ? lengths[at + width + 1] + 1
                                                    : std::max(lengths[at + width], lengths[at + 1]);
    }
  }
  for (std::size_t i = 0, j = 0; i < before.size() && j < after.size();) {
    if (before[i].text == after[j].text) {
      before[i++].is_common = after[j++].is_common = true;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
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
  for (const Token& token : tokens) {
    if ((token.is_common || !of_common) && class_of(token.text.front()) != Class::blank) bytes += token.text.size();
  }
  return bytes;
}

void add_spans(const Tokens& tokens, std::vector<std::vector<WordSpan>>& spans) {
  for (const Token& token : tokens) {
    if (token.is_common) continue;
    std::vector<WordSpan>& line = spans[token.line];
    const std::size_t end = token.begin + token.text.size();
    if (!line.empty() && line.back().end == token.begin) {
      line.back().end = end;
    } else {
      line.push_back({token.begin, end});
    }
  }
}

/// A removed or added line, and the line of the old file (0-based) that it is or stands before.
struct Change {
  const HunkLine* line = nullptr;
  std::size_t at = 0;
  std::size_t end() const { return at + (line->kind == LineKind::removed ? 1 : 0); }
};

std::vector<Change> changes_of(const std::vector<Hunk>& hunks, std::string_view before, const std::string& path) {
  HunkLocator locator(before);
  std::vector<Change> changes;
  for (std::size_t i = 0; i < hunks.size(); ++i) {
    const std::optional<Place> place = locator.place(hunks[i]);
    if (!place) throw ApplyError(Failure::conflict, path, static_cast<int>(i + 1), locator.explain(hunks[i]));
    std::size_t at = place->line;
    for (const HunkLine& line : hunks[i].lines) {
      if (line.kind != LineKind::context) changes.push_back({&line, at});
      if (line.kind != LineKind::added) ++at;
    }
  }
  // Hunks off their lines may come in another order than they stand in.
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  return changes;
}

/// Builds hunks from the changes of a file, in order.
class Widener {
 public:
  Widener(std::string_view before, std::size_t context) : lines_(split_lines(before)), context_(context) {}

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
  std::vector<Hunk> hunks;
  std::size_t shown = 0;                 // lines that are in a hunk, or passed over
  std::uint32_t at_old = 1, at_new = 1;  // numbers of the line `shown`
  const auto take = [&](std::size_t end, bool is_shown) {
    for (; shown < end; ++shown) {
      const bool is_old = lines[shown].kind != LineKind::added, is_new = lines[shown].kind != LineKind::removed;
      if (is_shown) {
        hunks.back().lines.push_back(lines[shown]);
        hunks.back().old_count += is_old ? 1 : 0;
        hunks.back().new_count += is_new ? 1 : 0;
      }
      at_old += is_old ? 1 : 0;
      at_new += is_new ? 1 : 0;
    }
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind == LineKind::context) continue;
    if (hunks.empty() || i > shown + 2 * context) {
      if (!hunks.empty()) take(shown + context, true);
      take(std::max(shown, i - std::min(i, context)), false);
      Hunk& hunk = hunks.emplace_back();
      hunk.old_start = at_old;
      hunk.new_start = at_new;
    }
    take(i + 1, true);
  }
  if (!hunks.empty()) take(std::min(lines.size(), shown + context), true);
  return hunks;
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
  return Widener(before, context).build(changes_of(hunks, before, path));
}

}  // namespace torchpatch::patch
