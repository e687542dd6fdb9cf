// SPDX-License-Identifier: BSD-3-Clause
#include "emit/document/document_man.h"

#include "emit/document/markdown_man.h"
#include "emit/format/roff_text.h"
#include "support/text.h"
#include "support/version.h"

namespace torchpatch::emit {
namespace {

std::string upper_case(std::string words) {
  for (char& c : words) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return words;
}

/// What stands within a paragraph has no line ends of its own.
std::string one_line(std::string words) {
  for (char& c : words) {
    if (c == '\n') c = ' ';
  }
  return words;
}

class Writer {
 public:
  explicit Writer(const Surroundings& around) : around_(around) {}

  std::string line(const Line& line) const;
  std::string blocks(const std::vector<Block>& blocks) const;

  std::string operator()(const Heading& heading) const;
  std::string operator()(const Paragraph& paragraph) const { return paragraph_of(line(paragraph.line)); }
  std::string operator()(const Items& items) const;
  std::string operator()(const Facts& facts) const;
  std::string operator()(const Table& table) const;
  std::string operator()(const Literal& literal) const { return as_it_is(literal.words); }
  std::string operator()(const Markdown& markdown) const;
  std::string operator()(const PatchText& patch) const { return as_it_is(patch.words); }
  std::string operator()(const Fold& fold) const {
    return concat(paragraph_of(roff_text(fold.summary)), blocks(fold.blocks));
  }

 private:
  std::string piece(const Inline& part) const;
  static std::string paragraph_of(const std::string& words) { return concat(".PP\n", words, "\n"); }
  static std::string as_it_is(std::string_view words);

  const Surroundings& around_;
};

/// `.EX` is not everywhere; no-fill and an indent are.
std::string Writer::as_it_is(std::string_view words) {
  const std::string text = roff_text(words);
  return concat(".PP\n.nf\n.RS 4\n", text, ends_with(text, "\n") ? "" : "\n", ".RE\n.fi\n");
}

std::string Writer::piece(const Inline& part) const {
  const std::string words = one_line(part.text);
  switch (part.kind) {
    case Inline::Kind::text:
    case Inline::Kind::tag:
      return roff_text(words);
    case Inline::Kind::code:
    case Inline::Kind::strong:
      return concat("\\fB", roff_breakable(words), "\\fR");
    case Inline::Kind::page: {
      const std::string page = around_.address(part.page);
      if (page.empty()) return roff_text(words);
      return words == part.page.id ? concat("\\fB", roff_text(page), "\\fR(7)")
                                   : concat(roff_text(words), ", \\fB", roff_text(page), "\\fR(7)");
    }
    case Inline::Kind::web:
      return words == part.address ? roff_breakable(words)
                                   : concat(roff_breakable(words), " <", roff_breakable(part.address), ">");
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
  if (heading.level > 2) return concat(".SS ", roff_argument(heading.words), "\n");
  return concat(".SH ", roff_argument(upper_case(heading.words)), "\n");
}

std::string Writer::operator()(const Items& items) const {
  std::string list;
  for (const Line& item : items.items) list += concat(".IP \\(bu 2\n", line(item), "\n");
  return list;
}

std::string Writer::operator()(const Facts& facts) const {
  std::string list;
  for (const auto& [term, said] : facts.rows) {
    if (!said.empty()) list += concat(".TP\n.B ", roff_argument(term), "\n", line(said), "\n");
  }
  return list;
}

/// A row is an item: what stands in its first column, then the others with the heads of their columns.
std::string Writer::operator()(const Table& table) const {
  std::string list;
  for (const std::vector<Cell>& row : table.rows) {
    if (row.empty()) continue;
    std::vector<std::string> rest;
    for (std::size_t i = 1; i < row.size() && i < table.heads.size(); ++i) {
      const std::string said = line(row[i].line);
      if (!said.empty()) rest.push_back(concat(roff_text(table.heads[i]), ": ", said));
    }
    list += concat(".TP\n", line(row.front().line), "\n", join(rest, "; "), "\n");
  }
  return list;
}

std::string Writer::operator()(const Markdown& markdown) const { return markdown_man(markdown.words); }

}  // namespace

std::string document_man(const Document& document, const Surroundings& around, const std::string& name) {
  const Writer writer(around);
  return concat(".TH ", roff_argument(upper_case(name)), " 7 \"\" ", roff_argument(concat("torchpatch ", kToolVersion)),
                "\n.ad l\n.nh\n.SH NAME\n", roff_text(name), " \\- ", roff_text(one_line(document.title)),
                "\n.SH DESCRIPTION\n", roff_text(one_line(document.description)), "\n", writer.blocks(document.blocks),
                ".SH SEE ALSO\n.BR torchpatch (1),\n.BR torchpatch\\-docs (1)\n");
}

}  // namespace torchpatch::emit
