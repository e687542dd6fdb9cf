// SPDX-License-Identifier: BSD-3-Clause
#include "patch/word_changes.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace torchpatch::patch {
namespace {

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

}  // namespace

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

}  // namespace torchpatch::patch
