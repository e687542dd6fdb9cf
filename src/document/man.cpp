// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include "document/text.h"
#include "document/writer.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch {

namespace {

/// https://man7.org/linux/man-pages/man7/groff_man_style.7.html#Portability
std::string escape(char c) {
  static const std::map<char, std::string> escapes = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                                                      {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
  const auto found = escapes.find(c);
  return found == escapes.end() ? std::string(1, c) : found->second;
}

// Private-use characters of Unicode replace what cmark would escape, until it has written the text.
constexpr std::string_view kNothing = "\xEE\x80\x80";  // U+E000: \&
constexpr std::string_view kBreak = "\xEE\x80\x81";    // U+E001: \:

/// Returns the lines of a code block, none of which can be read as a request.
std::string mark_lines(std::string_view code) {
  std::string marked;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool is_line_start = i == 0 || code[i - 1] == '\n';
    if (is_line_start && (code[i] == '.' || code[i] == '\'')) marked += kNothing;
    marked += code[i];
  }
  return marked;
}

/// Characters after which names and addresses may be broken.
constexpr std::string_view kBreaking = "/_=.,:-";

std::string mark_breaks(std::string_view code) {
  std::string marked;
  for (const char c : code) {
    marked += c;
    if (kBreaking.find(c) != std::string_view::npos) marked += kBreak;
  }
  return marked;
}

void mark(cmark_node* document) {
  const CmarkIterator iterator(cmark_iter_new(document), cmark_iter_free);
  while (cmark_iter_next(iterator.get()) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(iterator.get());
    const cmark_node_type type = cmark_node_get_type(node);
    if (type != CMARK_NODE_CODE_BLOCK && type != CMARK_NODE_CODE) continue;
    const std::string literal = cmark_node_get_literal(node);
    cmark_node_set_literal(node, (type == CMARK_NODE_CODE ? mark_breaks(literal) : mark_lines(literal)).c_str());
  }
}

/// Returns a table as a list: an item per row, with each cell after its head.
std::string table_as_list(const std::vector<std::vector<std::string>>& rows) {
  std::string list = "\n";
  for (std::size_t row = 1; row < rows.size(); ++row) {
    std::vector<std::string> said;
    for (std::size_t i = 0; i < rows[row].size(); ++i)
      if (!rows[row][i].empty()) said.push_back(rows[0][i].empty() ? rows[row][i] : rows[0][i] + ": " + rows[row][i]);
    list += concat("- ", join(said, "; "), "\n");
  }
  return list + "\n";
}

std::string upper_case(std::string words) {
  for (char& c : words) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return words;
}

/// Text within a paragraph must not contain newlines.
std::string one_line(std::string words) {
  std::ranges::replace(words, '\n', ' ');
  return words;
}

/// Addresses in text may be broken like those of links.
std::string roff_words(std::string_view text) {
  std::vector<std::string> words = split(text, ' ');
  for (std::string& word : words) word = word.find("://") == std::string::npos ? roff_text(word) : roff_breakable(word);
  return join(words, " ");
}

class ManWriter : public BlockWriter<ManWriter> {
 public:
  using BlockWriter::BlockWriter;

  std::string operator()(const Heading& heading) {
    if (heading.level > 2) return concat(".SS ", roff_argument(heading.words), "\n");
    return concat(".SH ", roff_argument(upper_case(heading.words)), "\n");
  }

  std::string operator()(const Paragraph& paragraph) { return paragraph_of(line(paragraph.line)); }

  std::string operator()(const Items& items) {
    std::string list;
    for (const Line& item : items.items) list += concat(".IP \\(bu 2\n", line(item), "\n");
    return list;
  }

  std::string operator()(const Terms& facts) {
    std::string list;
    for (const auto& [term, said] : facts.rows)
      if (!said.empty()) list += concat(".TP\n.B ", roff_argument(term), "\n", line(said), "\n");
    return list;
  }

  /// Each row is an item: its first cell, then the others with their column heads.
  std::string operator()(const Table& table) {
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

  std::string operator()(const Literal& literal) { return as_it_is(literal.words); }
  std::string operator()(const Markdown& markdown) { return markdown_man(markdown.words); }
  std::string operator()(const PatchText& patch) { return as_it_is(patch.words); }
  std::string operator()(const Hunks& hunks) {
    const std::string diff = hunks_diff(hunks);
    return diff.empty() ? "" : as_it_is(diff);
  }
  std::string operator()(const Fold& fold) {
    return concat(paragraph_of(roff_text(fold.summary)), blocks(fold.blocks));
  }

  std::string piece(const Inline& part) {
    const std::string words = one_line(part.text);
    switch (part.kind) {
      case Inline::Kind::text:
      case Inline::Kind::tag:
      case Inline::Kind::place:
        return roff_words(words);
      case Inline::Kind::line_end:
        return "\n.br\n";
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

 private:
  static std::string paragraph_of(const std::string& words) { return concat(".PP\n", words, "\n"); }

  /// `.EX` is not supported everywhere; no-fill and an indent are.
  static std::string as_it_is(std::string_view words) {
    const std::string text = roff_text(words);
    return concat(".PP\n.nf\n.RS 4\n", text, ends_with(text, "\n") ? "" : "\n", ".RE\n.fi\n");
  }
};

}  // namespace

std::string roff_text(std::string_view text) {
  std::string escaped;
  bool is_line_start = true;
  for (const char c : text) {
    if (is_line_start && c == '.') escaped += "\\&";
    escaped += escape(c);
    is_line_start = c == '\n';
  }
  return escaped;
}

std::string roff_breakable(std::string_view text) {
  std::string escaped;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t sign = text.find_first_of(kBreaking, begin);
    const std::size_t end = sign == std::string_view::npos ? text.size() : sign + 1;
    escaped += roff_text(text.substr(begin, end - begin));
    if (end < text.size()) escaped += "\\:";
    begin = end;
  }
  return escaped;
}

std::string roff_argument(std::string_view text) {
  std::string argument = "\"";
  for (const char c : text) argument += c == '"' ? std::string("\\(dq") : c == '\n' ? std::string(" ") : escape(c);
  return argument + "\"";
}

std::string markdown_man(const std::string& text_with_tables) {
  std::string markdown;
  for (const MarkdownPart& part : split_tables(text_with_tables))
    markdown += part.rows.empty() ? part.text : table_as_list(part.rows);
  const CmarkNode document = parse_markdown(markdown);
  mark(document.get());
  const std::unique_ptr<char, void (*)(void*)> text(cmark_render_man(document.get(), CMARK_OPT_DEFAULT, 0), std::free);
  std::string man = text.get();
  replace_all(man, kNothing, "\\&");
  replace_all(man, kBreak, "\\:");
  replace_all(man, ".PD 0\n.P\n.PD\n", "\n.br\n");  // cmark's hard line break, written after text
  replace_all(man, "\\f[C]", "\\f[CR]");            // cmark's font name; groff 1.23 on a terminal only knows this one
  return man;
}

std::string document_man(const Document& document, const Surroundings& around, const std::string& name) {
  ManWriter writer(around);
  // groff 1.23 restores the adjustment of AD after each tag.
  return concat(".TH ", roff_argument(upper_case(name)), " 7 \"\" ", roff_argument(concat("torchpatch ", kToolVersion)),
                "\n.ds AD l\n.ad l\n.nh\n.SH NAME\n", roff_text(name), " \\- ", roff_text(one_line(document.title)),
                "\n.SH DESCRIPTION\n", roff_text(one_line(document.description)), "\n", writer.blocks(document.blocks),
                ".SH SEE ALSO\n.BR torchpatch (1),\n.BR torchpatch\\-docs (1)\n");
}

}  // namespace torchpatch
