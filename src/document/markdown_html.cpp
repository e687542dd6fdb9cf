// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <set>

#include "document/html.h"
#include "document/text.h"
#include "document/writer.h"
#include "model/url.h"
#include "support/text.h"

namespace torchpatch {

namespace {

constexpr std::size_t kMostBytes = 256 << 10;
constexpr std::ptrdiff_t kMostBrackets = 4000;
constexpr int kLowestHeading = 6;

std::string_view literal_of(cmark_node* node) {
  const char* literal = cmark_node_get_literal(node);
  return literal ? literal : "";
}

std::string code_block(std::string_view text) {
  return concat("<pre tabindex=\"0\"><code>", html_text(text), "</code></pre>\n");
}

/// Returns whether a paragraph is in an item of a tight list, where it has no element of its own.
bool is_tight(cmark_node* paragraph) {
  cmark_node* item = cmark_node_parent(paragraph);
  cmark_node* list = item ? cmark_node_parent(item) : nullptr;
  return list && cmark_node_get_type(list) == CMARK_NODE_LIST && cmark_node_get_list_tight(list) != 0;
}

/// Writes the nodes as they are entered and left; without recursion, so the depth is unlimited.
class MarkdownHtmlWriter {
 public:
  explicit MarkdownHtmlWriter(const MarkdownOptions& options) : options_(options) {}

  void write(cmark_node* document) {
    const CmarkIterator iterator(cmark_iter_new(document), cmark_iter_free);
    for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
      cmark_node* node = cmark_iter_get_node(iterator.get());
      const bool is_entered = event == CMARK_EVENT_ENTER;
      switch (cmark_node_get_type(node)) {
        case CMARK_NODE_PARAGRAPH:
          paragraph(node, is_entered);
          break;
        case CMARK_NODE_LIST:
          list(node, is_entered);
          break;
        case CMARK_NODE_ITEM:
          html_ += is_entered ? "<li>" : "</li>\n";
          break;
        case CMARK_NODE_BLOCK_QUOTE:
          html_ += is_entered ? "<blockquote>\n" : "</blockquote>\n";
          break;
        case CMARK_NODE_EMPH:
          element("em", is_entered);
          break;
        case CMARK_NODE_STRONG:
          element("strong", is_entered);
          break;
        default:
          is_entered ? enter(node) : leave(node);
      }
    }
  }

  void write_table(const std::vector<std::vector<std::string>>& rows) {
    html_ += "<div class=\"wide\" tabindex=\"0\">\n<table>\n<thead>\n";
    cells(rows.front(), "th");
    html_ += "</thead>\n<tbody>\n";
    for (std::size_t i = 1; i < rows.size(); ++i) cells(rows[i], "td");
    html_ += "</tbody>\n</table>\n</div>\n";
  }

  const std::string& html() const { return html_; }

 private:
  void enter(cmark_node* node) {
    const std::string_view literal = literal_of(node);
    const cmark_node_type type = cmark_node_get_type(node);
    if (is_heading_ && (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE)) heading_text_ += literal;
    switch (type) {
      case CMARK_NODE_TEXT:
      case CMARK_NODE_HTML_INLINE:
        html_ += html_text(literal);
        break;
      case CMARK_NODE_SOFTBREAK:
        html_ += "\n";
        if (is_heading_) heading_text_ += ' ';
        break;
      case CMARK_NODE_LINEBREAK:
        html_ += "<br>\n";
        break;
      case CMARK_NODE_CODE:
        code_span(node);
        break;
      case CMARK_NODE_CODE_BLOCK:
      case CMARK_NODE_HTML_BLOCK:
        html_ += code_block(literal);
        break;
      case CMARK_NODE_THEMATIC_BREAK:
        html_ += "<hr>\n";
        break;
      case CMARK_NODE_HEADING:
        heading_start_ = html_.size();
        heading_text_.clear();
        is_heading_ = true;
        break;
      case CMARK_NODE_LINK:
        if (!is_safe_link(cmark_node_get_url(node)) || links_++ > 0) break;
        html_ += concat("<a href=\"", html_text(cmark_node_get_url(node)), "\">");
        break;
      default:
        break;
    }
  }

  void leave(cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_HEADING) leave_heading(node);
    if (type == CMARK_NODE_LINK && is_safe_link(cmark_node_get_url(node)) && --links_ == 0) html_ += "</a>";
  }

  void leave_heading(cmark_node* node) {
    const int level = level_of(node);
    html_.insert(heading_start_, concat("<h", level, " id=\"", unused_anchor(heading_text_), "\">"));
    html_ += concat("</h", level, ">\n");
    is_heading_ = false;
  }

  void code_span(cmark_node* node) {
    const std::string text(literal_of(node));
    const auto link = options_.code_links.find(text);
    const bool is_link = link != options_.code_links.end() && links_ == 0;
    if (is_link) html_ += concat("<a href=\"", html_text(link->second), "\">");
    html_ += html_code(text);
    if (is_link) html_ += "</a>";
  }

  void list(cmark_node* node, bool is_entered) {
    const bool is_ordered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST;
    const int start = cmark_node_get_list_start(node);
    if (!is_entered)
      html_ += is_ordered ? "</ol>\n" : "</ul>\n";
    else if (is_ordered && start != 1)
      html_ += concat("<ol start=\"", start, "\">\n");
    else
      html_ += is_ordered ? "<ol>\n" : "<ul>\n";
  }

  void paragraph(cmark_node* node, bool is_entered) {
    if (is_cell_) return;
    if (!is_tight(node))
      html_ += is_entered ? "<p>" : "</p>\n";
    else if (!is_entered && cmark_node_next(node))
      html_ += "\n";
  }

  int level_of(cmark_node* heading) const {
    return std::min(cmark_node_get_heading_level(heading) + options_.heading_above, kLowestHeading);
  }

  std::string unused_anchor(const std::string& text) {
    const std::string anchor = options_.anchor_prefix + html_anchor(text);
    std::string unused = anchor;
    for (int number = 2; !anchors_.insert(unused).second; ++number) unused = concat(anchor, "-", number);
    return unused;
  }

  void cells(const std::vector<std::string>& row, const char* element) {
    html_ += "<tr>";
    for (const std::string& cell : row) {
      html_ += concat("<", element, ">");
      is_cell_ = true;
      write(parse_markdown(cell).get());
      is_cell_ = false;
      html_ += concat("</", element, ">");
    }
    html_ += "</tr>\n";
  }

  void element(const char* name, bool is_entered) { html_ += concat(is_entered ? "<" : "</", name, ">"); }

  const MarkdownOptions& options_;
  std::string html_;
  std::set<std::string> anchors_;
  std::size_t heading_start_ = 0;  ///< start of the open heading's text in html_
  std::string heading_text_;
  bool is_heading_ = false;
  bool is_cell_ = false;  ///< in a table's cell, whose paragraph has no element of its own
  int links_ = 0;         ///< number of open ones: links cannot be nested
};

}  // namespace

std::string markdown_html(std::string_view markdown, const MarkdownOptions& options) {
  const bool is_harmless = markdown.size() <= kMostBytes && is_valid_utf8(markdown) &&
                           std::count(markdown.begin(), markdown.end(), '[') <= kMostBrackets;
  if (!is_harmless) return code_block(markdown);
  MarkdownHtmlWriter writer(options);
  for (const MarkdownPart& part : split_tables(markdown))
    if (part.rows.empty())
      writer.write(parse_markdown(part.text).get());
    else
      writer.write_table(part.rows);
  return writer.html();
}

}  // namespace torchpatch
