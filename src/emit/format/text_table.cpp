// SPDX-License-Identifier: BSD-3-Clause
#include "emit/format/text_table.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch::emit {
namespace {

/// Number of code points: the columns that a cell takes, wide and combining characters apart.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::size_t> column_widths(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  return widths;
}

}  // namespace

std::string plain_line(const std::string& text) {
  // Quotes and backslashes alone, which quote() escapes, too, do no harm.
  std::string rest = text;
  std::erase_if(rest, [](char c) { return c == '\'' || c == '\\'; });
  return printable(rest) == rest ? text : quote(text);
}

std::string text_table(const Rows& rows, const std::string& indent) {
  Rows cells = rows;
  for (std::vector<std::string>& row : cells) {
    std::transform(row.begin(), row.end(), row.begin(), plain_line);
  }
  const std::vector<std::size_t> widths = column_widths(cells);
  std::string out;
  for (const std::vector<std::string>& row : cells) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) line += row[i] + std::string(widths[i] - width_of(row[i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string text_section(const std::string& heading, const Rows& rows) {
  if (rows.empty()) return {};
  return concat("\n", heading, "\n", text_table(rows, "  "));
}

}  // namespace torchpatch::emit
