// SPDX-License-Identifier: BSD-3-Clause
#include "emit/document/document.h"
#include "emit/format/markdown_text.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

/// Writes blocks, each followed by an empty line.
class Writer {
 public:
  explicit Writer(const Surroundings& around) : around_(around) {}

  std::string line(const Line& line) const;
  std::string blocks(const std::vector<Block>& blocks) const;

  std::string operator()(const Heading& heading) const;
  std::string operator()(const Paragraph& paragraph) const;
  std::string operator()(const Items& items) const;
  std::string operator()(const Facts& facts) const;
  std::string operator()(const Table& table) const;
  std::string operator()(const Literal& literal) const { return code_block(literal.words, "text") + "\n"; }
  std::string operator()(const Markdown& markdown) const { return markdown.words + "\n\n"; }
  std::string operator()(const PatchText& patch) const { return code_block(patch.words, "diff") + "\n"; }
  std::string operator()(const Fold& fold) const;

 private:
  std::string piece(const Inline& part) const;
  std::string cell_text(const Line& line) const;

  const Surroundings& around_;
};

std::string Writer::piece(const Inline& part) const {
  switch (part.kind) {
    case Inline::Kind::text:
    case Inline::Kind::tag:
      return markdown_text(part.text);
    case Inline::Kind::code:
      return code_span(part.text);
    case Inline::Kind::strong:
      return concat("**", markdown_text(part.text), "**");
    case Inline::Kind::page:
      return concat("[", markdown_text(part.text), "](", around_.address(part.page), ")");
    case Inline::Kind::web:
      return concat("[", markdown_text(part.text), "](<", part.address, ">)");
  }
  return {};
}

std::string Writer::line(const Line& line) const {
  std::string words;
  for (const Inline& part : line) words += piece(part);
  return words;
}

std::string Writer::blocks(const std::vector<Block>& blocks) const {
  std::string all;
  for (const Block& block : blocks) all += std::visit(*this, static_cast<const Block::variant&>(block));
  return all;
}

std::string Writer::operator()(const Heading& heading) const {
  return concat(std::string(static_cast<std::size_t>(heading.level), '#'), " ", markdown_text(heading.words), "\n\n");
}

std::string Writer::operator()(const Paragraph& paragraph) const {
  return concat(paragraph.style == Paragraph::Style::note ? "> " : "", line(paragraph.line), "\n\n");
}

std::string Writer::operator()(const Items& items) const {
  std::string list;
  for (const Line& item : items.items) list += concat("- ", line(item), "\n");
  return list.empty() ? "" : list + "\n";
}

std::string Writer::operator()(const Facts& facts) const {
  std::string list;
  for (const auto& [term, said] : facts.rows) {
    if (!said.empty()) list += concat("- ", markdown_text(term), ": ", line(said), "\n");
  }
  return list.empty() ? "" : list + "\n";
}

/// A bar would end the cell, in code spans as well (https://github.github.com/gfm/#tables-extension-).
std::string Writer::cell_text(const Line& said) const {
  std::string words;
  for (const char c : line(said)) words += c == '|' ? std::string("\\|") : std::string(1, c);
  return words;
}

std::string Writer::operator()(const Table& table) const {
  if (table.rows.empty()) return {};
  std::string rows = "|", rule = "|";
  for (const std::string& head : table.heads) {
    rows += concat(" ", cell_text({text(head)}), " |");
    rule += "---|";
  }
  rows += concat("\n", rule, "\n");
  for (const std::vector<Cell>& row : table.rows) {
    rows += "|";
    for (const Cell& each : row) rows += concat(" ", cell_text(each.line), " |");
    rows += "\n";
  }
  return rows + "\n";
}

std::string Writer::operator()(const Fold& fold) const {
  return concat("**", markdown_text(fold.summary), "**\n\n", blocks(fold.blocks));
}

}  // namespace

std::string document_markdown(const Document& document, const Surroundings& around) {
  const Writer writer(around);
  std::string page = concat("# ", markdown_text(document.title), "\n\n", writer.blocks(document.blocks));
  while (ends_with(page, "\n\n")) page.pop_back();
  return page;
}

}  // namespace torchpatch::emit
