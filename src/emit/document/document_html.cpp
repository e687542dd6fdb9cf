// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <set>

#include "emit/document/document.h"
#include "emit/html/html_text.h"
#include "emit/html/markdown_html.h"
#include "emit/html/patch_html.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

const char* tone_class(Tone tone) {
  switch (tone) {
    case Tone::none:
      return "";
    case Tone::good:
      return "good";
    case Tone::caution:
      return "caution";
    case Tone::bad:
      return "bad";
    case Tone::soft:
      return "soft";
  }
  return "";
}

std::string class_attribute(std::string_view classes) {
  return classes.empty() ? "" : concat(" class=\"", classes, "\"");
}

/// A name, a number or two short words stay on their line, however narrow the column.
bool is_brief(const Cell& cell) {
  if (cell.line.size() != 1) return false;
  const std::string& words = cell.line.front().text;
  return words.size() <= 14 || (words.size() <= 20 && words.find(' ') == std::string::npos);
}

std::string cell_classes(const Cell& cell) {
  const std::string tone = tone_class(cell.tone);
  if (!is_brief(cell)) return tone;
  return tone.empty() ? "brief" : tone + " brief";
}

/// Writes blocks; knows the anchors that are taken.
class Writer {
 public:
  explicit Writer(const Surroundings& around) : around_(around) {
    for (const auto& [name, page] : around.names) code_links_[name] = around.address(page);
  }

  std::string line(const Line& line) const;
  std::string blocks(const std::vector<Block>& blocks);
  const std::vector<std::pair<std::string, std::string>>& sections() const { return sections_; }

  std::string operator()(const Heading& heading);
  std::string operator()(const Paragraph& paragraph) const;
  std::string operator()(const Items& items) const;
  std::string operator()(const Facts& facts) const;
  std::string operator()(const Table& table) const;
  std::string operator()(const Literal& literal) const;
  std::string operator()(const Markdown& markdown);
  std::string operator()(const PatchText& patch) const { return patch_html(patch.words); }
  std::string operator()(const Fold& fold);

 private:
  std::string piece(const Inline& part) const;

  const Surroundings& around_;
  std::map<std::string, std::string> code_links_;
  std::set<std::string> anchors_;
  std::vector<std::pair<std::string, std::string>> sections_;  ///< anchor and words of each heading of level 2
  std::string section_;                                        ///< anchor of the one that is open
  int level_ = 1;                                              ///< of the last heading
};

std::string Writer::piece(const Inline& part) const {
  switch (part.kind) {
    case Inline::Kind::text:
      return html_text(part.text);
    case Inline::Kind::code:
      return html_code(part.text);
    case Inline::Kind::strong:
      return concat("<strong>", html_text(part.text), "</strong>");
    case Inline::Kind::tag:
      return concat("<span class=\"tag ", tone_class(part.tone), "\">", html_text(part.text), "</span>");
    case Inline::Kind::page:
      return html_link(around_.address(part.page), part.text);
    case Inline::Kind::web:
      return html_link(part.address, part.text);
  }
  return {};
}

std::string Writer::line(const Line& line) const {
  std::string html;
  for (const Inline& part : line) html += piece(part);
  return html;
}

std::string Writer::blocks(const std::vector<Block>& blocks) {
  std::string html;
  for (const Block& block : blocks) html += std::visit(*this, static_cast<const Block::variant&>(block));
  return html;
}

std::string Writer::operator()(const Heading& heading) {
  const std::string wanted = heading.level == 2 || section_.empty() ? html_anchor(heading.words)
                                                                    : concat(section_, "-", html_anchor(heading.words));
  std::string anchor = wanted;
  for (int number = 2; !anchors_.insert(anchor).second; ++number) anchor = concat(wanted, "-", number);
  level_ = heading.level;
  if (heading.level == 2) {
    section_ = anchor;
    sections_.emplace_back(anchor, heading.words);
  }
  return concat("<h", heading.level, " id=\"", anchor, "\">", html_text(heading.words), "</h", heading.level, ">\n");
}

std::string Writer::operator()(const Paragraph& paragraph) const {
  if (paragraph.style == Paragraph::Style::note) {
    return concat("<div class=\"note\"><p>", line(paragraph.line), "</p></div>\n");
  }
  const char* style = paragraph.style == Paragraph::Style::lead ? "lead" : "";
  return concat("<p", class_attribute(style), ">", line(paragraph.line), "</p>\n");
}

std::string Writer::operator()(const Items& items) const {
  if (items.items.empty()) return {};
  std::string html = "<ul>\n";
  for (const Line& item : items.items) html += concat("<li>", line(item), "</li>\n");
  return html + "</ul>\n";
}

std::string Writer::operator()(const Facts& facts) const {
  std::string rows;
  for (const auto& [term, said] : facts.rows) {
    if (said.empty()) continue;
    rows += concat("<dt>", html_text(term), "</dt>\n<dd>", line(said), "</dd>\n");
  }
  return rows.empty() ? "" : concat("<dl class=\"facts\">\n", rows, "</dl>\n");
}

std::string Writer::operator()(const Table& table) const {
  if (table.rows.empty()) return {};
  std::string html = concat("<section class=\"wide\" tabindex=\"0\" aria-label=\"", html_text(table.caption),
                            "\">\n<table>\n<thead>\n<tr>");
  for (const std::string& head : table.heads) {
    html += head.empty() ? "<td></td>" : concat("<th scope=\"col\">", html_text(head), "</th>");
  }
  html += "</tr>\n</thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const char* element = i == 0 ? "th" : "td";
      html += concat("<", element, i == 0 ? " scope=\"row\"" : "", class_attribute(cell_classes(row[i])), ">",
                     line(row[i].line), "</", element, ">");
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</section>\n";
}

std::string Writer::operator()(const Literal& literal) const {
  return concat("<pre tabindex=\"0\"><code>", html_text(literal.words), "</code></pre>\n");
}

std::string Writer::operator()(const Markdown& markdown) {
  const MarkdownOptions options{level_, section_.empty() ? "text-" : section_ + "-", code_links_};
  return markdown_html(markdown.words, options);
}

std::string Writer::operator()(const Fold& fold) {
  return concat("<details", fold.is_open ? " open" : "", ">\n<summary>", html_text(fold.summary), "</summary>\n",
                blocks(fold.blocks), "</details>\n");
}

std::string contents(const std::vector<std::pair<std::string, std::string>>& sections) {
  std::string html = "<nav class=\"contents\" aria-label=\"On this page\">\n<p>On this page</p>\n<ul>\n";
  for (const auto& [anchor, words] : sections) {
    html += concat("<li>", html_link("#" + anchor, words), "</li>\n");
  }
  return html + "</ul>\n</nav>\n";
}

std::string neighbour(const char* role, const std::optional<std::pair<PageRef, std::string>>& page,
                      const Surroundings& around) {
  if (!page) return {};
  return concat("<a class=\"", role, "\" rel=\"", role, "\" href=\"", html_text(around.address(page->first)),
                "\"><span class=\"small soft\">", std::string_view(role) == "prev" ? "Previous" : "Next", "</span> ",
                html_text(page->second), "</a>\n");
}

}  // namespace

std::string document_html(const Document& document, const Surroundings& around, const std::string& lead_in) {
  Writer writer(around);
  std::string body = concat("<h1>", html_text(document.title), "</h1>\n", lead_in, writer.blocks(document.blocks));
  if (document.previous || document.next) {
    body += concat("<nav class=\"neighbours\" aria-label=\"Neighbours\">\n",
                   neighbour("prev", document.previous, around), neighbour("next", document.next, around), "</nav>\n");
  }
  if (writer.sections().size() < 3) return body;
  return concat("<div class=\"with-contents\">\n", contents(writer.sections()), "<div>\n", body, "</div>\n</div>\n");
}

}  // namespace torchpatch::emit
