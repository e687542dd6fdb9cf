// SPDX-License-Identifier: BSD-3-Clause
#include "emit/format/markdown_text.h"

#include <algorithm>

#include "emit/build/shell_text.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// An underscore between letters never begins emphasis, so that names stay readable in the source.
bool is_inside_word(std::string_view text, std::size_t at) {
  return at > 0 && at + 1 < text.size() && is_alphanumeric(text[at - 1]) && is_alphanumeric(text[at + 1]);
}

std::size_t longest_run_of_backticks(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string line = comment_text(text);
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    // Quotes and headings begin at the start of a line only.
    const std::string_view markup = i == 0 ? "\\`*[]<&~>#" : "\\`*[]<&~";
    const bool is_markup = markup.find(line[i]) != std::string_view::npos;
    if (is_markup || (line[i] == '_' && !is_inside_word(line, i))) out += '\\';
    out += line[i];
  }
  return out;
}

std::string code_span(std::string_view text) {
  const std::string line = comment_text(text);
  const std::size_t run = longest_run_of_backticks(line);
  const std::string fence(run + 1, '`');
  // Spaces keep backticks at the ends from joining the fence; CommonMark takes them off again.
  const std::string space = run > 0 ? " " : "";
  return fence + space + line + space + fence;
}

std::string code_block(std::string_view text, std::string_view language) {
  const std::string fence(std::max<std::size_t>(3, longest_run_of_backticks(text) + 1), '`');
  return concat(fence, language, "\n", text, ends_with(text, "\n") ? "" : "\n", fence, "\n");
}

}  // namespace torchpatch::emit
