// SPDX-License-Identifier: BSD-3-Clause
#include "emit/format/markdown_tables.h"

#include <cmark.h>

#include <algorithm>
#include <memory>

#include "support/text.h"

namespace torchpatch::emit {
namespace {

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};

/// Splits a row at its bars; an escaped one is part of a cell.
std::vector<std::string> cells_of(std::string_view row) {
  row = trim(row);
  if (starts_with(row, "|")) row.remove_prefix(1);
  if (ends_with(row, "|") && !ends_with(row, "\\|")) row.remove_suffix(1);
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row.substr(i, 2) == "\\|") {
      cells.back() += row[++i];
    } else if (row[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += row[i];
    }
  }
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

/// True for the row below the heads: dashes in every cell, colons at their ends.
bool is_rule(const std::string& row) {
  if (row.find('|') == std::string::npos) return false;
  const std::vector<std::string> cells = cells_of(row);
  return std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return cell.find('-') != std::string::npos && cell.find_first_not_of("-:") == std::string::npos;
  });
}

std::vector<std::vector<std::string>> rows_of(const std::vector<std::string>& lines) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 1) continue;
    rows.push_back(cells_of(lines[i]));
    rows.back().resize(rows.front().size());
  }
  return rows;
}

}  // namespace

std::vector<MarkdownPart> split_tables(std::string_view markdown) {
  const std::vector<std::string> lines = split(markdown, '\n');
  const std::unique_ptr<cmark_node, FreeNode> document(
      cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT));
  std::vector<MarkdownPart> parts;
  std::size_t done = 0;
  const auto take_text = [&](std::size_t end) {
    std::string text;
    for (; done < end; ++done) text += lines[done] + "\n";
    if (!trim(text).empty()) parts.push_back({std::move(text)});
  };
  for (cmark_node* node = cmark_node_first_child(document.get()); node; node = cmark_node_next(node)) {
    if (cmark_node_get_type(node) != CMARK_NODE_PARAGRAPH) continue;
    const auto first = static_cast<std::size_t>(cmark_node_get_start_line(node)) - 1;
    const auto end = static_cast<std::size_t>(cmark_node_get_end_line(node));
    if (end > lines.size() || end < first + 2 || !is_rule(lines[first + 1])) continue;
    take_text(first);
    parts.push_back({{},
                     rows_of({lines.begin() + static_cast<std::ptrdiff_t>(first),
                              lines.begin() + static_cast<std::ptrdiff_t>(end)})});
    done = end;
  }
  take_text(lines.size());
  return parts;
}

}  // namespace torchpatch::emit
