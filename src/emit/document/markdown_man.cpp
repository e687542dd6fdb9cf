// SPDX-License-Identifier: BSD-3-Clause
#include "emit/document/markdown_man.h"

#include <cmark.h>

#include <cstdlib>
#include <memory>

#include "emit/format/markdown_tables.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

// Private characters of Unicode stand for what cmark would escape, until it has written the text.
constexpr std::string_view kNothing = "\xEE\x80\x80";  // U+E000: \&
constexpr std::string_view kBreak = "\xEE\x80\x81";    // U+E001: \:

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct FreeIterator {
  void operator()(cmark_iter* iterator) const { cmark_iter_free(iterator); }
};
struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

/// Returns the lines of a code block; none begins as a request does.
std::string mark_lines(std::string_view code) {
  std::string marked;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool is_line_start = i == 0 || code[i - 1] == '\n';
    if (is_line_start && (code[i] == '.' || code[i] == '\'')) marked += kNothing;
    marked += code[i];
  }
  return marked;
}

std::string mark_breaks(std::string_view code) {
  std::string marked;
  for (const char c : code) {
    marked += c;
    if (std::string_view("/_=.,:-").find(c) != std::string_view::npos) marked += kBreak;
  }
  return marked;
}

void mark(cmark_node* document) {
  const std::unique_ptr<cmark_iter, FreeIterator> iterator(cmark_iter_new(document));
  while (cmark_iter_next(iterator.get()) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(iterator.get());
    const cmark_node_type type = cmark_node_get_type(node);
    if (type != CMARK_NODE_CODE_BLOCK && type != CMARK_NODE_CODE) continue;
    const std::string literal = cmark_node_get_literal(node);
    cmark_node_set_literal(node, (type == CMARK_NODE_CODE ? mark_breaks(literal) : mark_lines(literal)).c_str());
  }
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

namespace {

/// A table as a list: a row an item, behind each cell's head.
std::string table_as_list(const std::vector<std::vector<std::string>>& rows) {
  std::string list = "\n";
  for (std::size_t row = 1; row < rows.size(); ++row) {
    std::vector<std::string> said;
    for (std::size_t i = 0; i < rows[row].size(); ++i) {
      if (!rows[row][i].empty()) said.push_back(rows[0][i].empty() ? rows[row][i] : rows[0][i] + ": " + rows[row][i]);
    }
    list += concat("- ", join(said, "; "), "\n");
  }
  return list + "\n";
}

}  // namespace

std::string markdown_man(const std::string& text_with_tables) {
  std::string markdown;
  for (const MarkdownPart& part : split_tables(text_with_tables)) {
    markdown += part.rows.empty() ? part.text : table_as_list(part.rows);
  }
  const std::unique_ptr<cmark_node, FreeNode> document(
      cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT));
  mark(document.get());
  const std::unique_ptr<char, FreeText> text(cmark_render_man(document.get(), CMARK_OPT_DEFAULT, 0));
  std::string man = text.get();
  replace_all(man, kNothing, "\\&");
  replace_all(man, kBreak, "\\:");
  return man;
}

}  // namespace torchpatch::emit
