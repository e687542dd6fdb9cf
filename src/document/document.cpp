// SPDX-License-Identifier: BSD-3-Clause
#include "document/document.h"

#include <algorithm>

#include "model/url.h"
#include "support/text.h"

namespace torchpatch {

Inline text(std::string words) { return {.kind = Inline::Kind::text, .text = std::move(words)}; }
Inline code(std::string words) { return {.kind = Inline::Kind::code, .text = std::move(words)}; }
Inline strong(std::string words) { return {.kind = Inline::Kind::strong, .text = std::move(words)}; }
Inline tag(std::string words, Tone tone) { return {.kind = Inline::Kind::tag, .text = std::move(words), .tone = tone}; }
Inline toned(std::string words, Tone tone) {
  return {.kind = Inline::Kind::text, .text = std::move(words), .tone = tone};
}
Inline link_here(std::string anchor, std::string words) {
  return {.kind = Inline::Kind::place, .text = std::move(words), .address = std::move(anchor)};
}
Inline line_end() { return {.kind = Inline::Kind::line_end}; }
Inline link_to(PageRef page, std::string words) {
  return {.kind = Inline::Kind::page, .text = std::move(words), .page = std::move(page)};
}
Inline web_link(std::string address, std::string words) {
  if (!is_safe_link(address)) return text(std::move(words));
  return {.kind = Inline::Kind::web, .text = std::move(words), .address = std::move(address)};
}

namespace {

Line joined_by(const std::vector<Line>& lines, const Inline& separator) {
  Line all;
  for (const Line& line : lines) {
    if (!all.empty()) all.push_back(separator);
    all.insert(all.end(), line.begin(), line.end());
  }
  return all;
}

bool is_empty(const Block& block) {
  if (const auto* items = std::get_if<Items>(&block)) return items->items.empty();
  if (const auto* table = std::get_if<Table>(&block)) return table->rows.empty();
  const auto* terms = std::get_if<Terms>(&block);
  return terms != nullptr &&
         std::all_of(terms->rows.begin(), terms->rows.end(), [](const auto& row) { return row.second.empty(); });
}

}  // namespace

Line joined(const std::vector<Line>& lines, const std::string& separator) { return joined_by(lines, text(separator)); }
Line stacked(const std::vector<Line>& lines) { return joined_by(lines, line_end()); }

std::vector<std::vector<Cell>> plain_rows(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<Cell>> cells;
  for (const std::vector<std::string>& row : rows) {
    cells.emplace_back();
    for (const std::string& words : row) cells.back().push_back({{text(words)}});
  }
  return cells;
}

void add_section(std::vector<Block>& blocks, std::string heading, std::vector<Block> content) {
  if (std::all_of(content.begin(), content.end(), is_empty)) return;
  blocks.push_back(Heading{2, std::move(heading)});
  std::move(content.begin(), content.end(), std::back_inserter(blocks));
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return concat(count, " ", count == 1 ? one : many.empty() ? one + "s" : many);
}

std::string minutes_text(std::uint64_t minutes) {
  return minutes < 60 ? concat(minutes, " min") : concat(minutes / 60, " h ", minutes % 60, " min");
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return concat(bytes, " B");
  std::uint64_t tenths = bytes / 100;
  const char* unit = "kB";
  for (const char* larger : {"MB", "GB", "TB"}) {
    if (tenths < 10'000) break;
    tenths /= 1000;
    unit = larger;
  }
  return concat(tenths / 10, ".", tenths % 10, " ", unit);
}

}  // namespace torchpatch
