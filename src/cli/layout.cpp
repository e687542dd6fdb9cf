// SPDX-License-Identifier: BSD-3-Clause
#include "cli/layout.h"

#include "support/text.h"

namespace torchpatch::cli {
namespace {

constexpr std::size_t kLineWidth = 80;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kRightColumn = 28;

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : split(text, ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(line);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  lines.push_back(line);
  return lines;
}

std::vector<std::string> paragraphs(std::string_view text) {
  std::vector<std::string> result;
  std::string current;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) {
      if (!current.empty()) result.push_back(current);
      current.clear();
    } else {
      current += (current.empty() ? "" : " ") + line;
    }
  }
  if (!current.empty()) result.push_back(current);
  return result;
}

std::string two_columns(std::string_view left, std::string_view right) {
  std::string text = std::string(kIndent, ' ') + std::string(left);
  if (text.size() + 2 > kRightColumn)
    text += '\n' + std::string(kRightColumn, ' ');
  else
    text += std::string(kRightColumn - text.size(), ' ');
  const std::vector<std::string> lines = wrap(right, kLineWidth - kRightColumn);
  return text + join(lines, "\n" + std::string(kRightColumn, ' ')) + "\n";
}

}  // namespace torchpatch::cli
