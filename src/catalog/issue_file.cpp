// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/issue_file.h"

#include <cmark.h>

#include <algorithm>
#include <memory>

#include "model/url.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

/// cmark needs quadratic time for repeated "![[]()"; no real page comes near this limit.
constexpr std::ptrdiff_t kMaxBrackets = 4000;

const std::vector<std::string> kSectionNames = {"Symptom", "Cause", "Fix", "How to verify"};

using Document = std::unique_ptr<cmark_node, decltype(&cmark_node_free)>;
using Iterator = std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)>;

/// Calls `visit` for every node below `root`, parents first; without recursion, so the depth is unlimited.
template <typename Visit>
void for_each_node(cmark_node* root, Visit visit) {
  const Iterator iterator(cmark_iter_new(root), cmark_iter_free);
  for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;)
    if (event == CMARK_EVENT_ENTER) visit(cmark_iter_get_node(iterator.get()));
}

bool is_heading(cmark_node* node, int level) {
  return cmark_node_get_type(node) == CMARK_NODE_HEADING && cmark_node_get_heading_level(node) == level;
}

bool is_json_block(cmark_node* node) {
  return cmark_node_get_type(node) == CMARK_NODE_CODE_BLOCK &&
         std::string_view(cmark_node_get_fence_info(node)) == "json";
}

std::string plain_text(cmark_node* heading) {
  std::string text;
  for_each_node(heading, [&](cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE)
      text += cmark_node_get_literal(node);
    else if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK)
      text += ' ';
  });
  return text;
}

/// Returns the line of a node; for an inline node, that of the enclosing block.
int line_of_node(cmark_node* node) {
  while (node && cmark_node_get_start_line(node) == 0) node = cmark_node_parent(node);
  return node ? cmark_node_get_start_line(node) : 0;
}

/// Reads one page and collects its findings.
class PageReader {
 public:
  PageReader(const std::string& text, const std::string& file, Findings& findings)
      : text_(text), file_(file), findings_(findings), lines_(split(text, '\n')) {}

  std::optional<IssuePage> read();

 private:
  void report(int line, std::string message) { findings_.add(file_, line, "", std::move(message)); }
  bool check_bytes();
  void check_nodes(cmark_node* document);
  void read_sections(cmark_node* node, IssuePage& page);
  std::string lines_between(int first, int last) const;

  const std::string& text_;
  const std::string& file_;
  Findings& findings_;
  std::vector<std::string> lines_;
};

/// Reports the first line with bytes that cmark must not see.
bool PageReader::check_bytes() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::string& line = lines_[i];
    std::string shown = line;
    std::ranges::replace(shown, '\t', ' ');
    if (!has_hidden(shown)) continue;
    const bool has_control = std::ranges::any_of(shown, is_control);
    report(static_cast<int>(i + 1), has_control           ? "has a control byte; lines must end with LF"
                                    : is_valid_utf8(line) ? "has an invisible character"
                                                          : "is not UTF-8");
    return false;
  }
  if (std::count(text_.begin(), text_.end(), '[') > kMaxBrackets) {
    report(0, concat("has more than ", kMaxBrackets, " opening brackets"));
    return false;
  }
  return true;
}

void PageReader::check_nodes(cmark_node* document) {
  for_each_node(document, [&](cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    const char* const text = type == CMARK_NODE_TEXT ? cmark_node_get_literal(node) : nullptr;
    if (text && has_hidden(text)) report(line_of_node(node), "has an invisible character, by its number");
    if (type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE)
      report(line_of_node(node), "has raw HTML; pages must be plain CommonMark");
    else if (type == CMARK_NODE_IMAGE)
      report(line_of_node(node), "has an image; images are not allowed");
    else if (type == CMARK_NODE_LINK && !is_safe_link(cmark_node_get_url(node)))
      report(line_of_node(node), concat("links to ", quote(cmark_node_get_url(node)),
                                        "; a link must begin with https://, http://, mailto: or #"));
  });
}

std::string PageReader::lines_between(int first, int last) const {
  std::vector<std::string> lines;
  for (int line = first; line <= last && line <= static_cast<int>(lines_.size()); ++line)
    lines.push_back(lines_[static_cast<std::size_t>(line - 1)]);
  const auto has_words = [](const std::string& line) { return !trim(line).empty(); };
  lines.erase(lines.begin(), std::ranges::find_if(lines, has_words));
  while (!lines.empty() && !has_words(lines.back())) lines.pop_back();
  return join(lines, "\n");  // the first line keeps its blanks: four make it code
}

/// Reads the four sections from `node`, the first block after the metadata.
void PageReader::read_sections(cmark_node* node, IssuePage& page) {
  const int first_line = node ? cmark_node_get_start_line(node) : static_cast<int>(lines_.size());
  std::vector<cmark_node*> headings;
  for (; node != nullptr; node = cmark_node_next(node))
    if (is_heading(node, 1))
      report(cmark_node_get_start_line(node), "has a second level-one heading");
    else if (is_heading(node, 2))
      headings.push_back(node);
    else if (headings.empty())
      report(cmark_node_get_start_line(node), "has text between the metadata and the first section");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < headings.size(); ++i) {
    const bool is_last = i + 1 == headings.size();
    const int end = is_last ? static_cast<int>(lines_.size()) : cmark_node_get_start_line(headings[i + 1]) - 1;
    names.push_back(plain_text(headings[i]));
    page.sections.emplace_back(names.back(), lines_between(cmark_node_get_end_line(headings[i]) + 1, end));
    if (page.sections.back().second.empty())
      report(cmark_node_get_start_line(headings[i]), concat("section ", quote(names.back()), " is empty"));
  }
  if (names != kSectionNames) {
    report(headings.empty() ? first_line : cmark_node_get_start_line(headings.front()),
           concat("must have the sections ", join(kSectionNames, ", "), " in this order, but has ",
                  names.empty() ? "none" : printable(join(names, ", "))));
  }
}

std::optional<IssuePage> PageReader::read() {
  if (!check_bytes()) return std::nullopt;
  const Document document(cmark_parse_document(text_.data(), text_.size(), CMARK_OPT_DEFAULT), cmark_node_free);
  check_nodes(document.get());
  cmark_node* title = cmark_node_first_child(document.get());
  IssuePage page;
  if (title == nullptr || !is_heading(title, 1)) {
    report(1, "must begin with a level-one heading, its title");
    return std::nullopt;
  }
  page.title = plain_text(title);
  if (trim(page.title).empty()) report(cmark_node_get_start_line(title), "has an empty title");
  cmark_node* block = cmark_node_next(title);
  if (block == nullptr || !is_json_block(block)) {
    report(cmark_node_get_end_line(title), "must have the metadata after its title, in a fenced block marked json");
    return std::nullopt;
  }
  page.json = cmark_node_get_literal(block);
  // An unclosed block may end on the line that opens it.
  page.json_line = std::min(cmark_node_get_start_line(block) + 1, cmark_node_get_end_line(block));
  read_sections(cmark_node_next(block), page);
  return page;
}

}  // namespace

std::optional<IssueFile> parse_issue(const std::string& bytes, const std::string& path, const std::string& stem,
                                     Findings& findings) {
  std::optional<IssuePage> page = parse_issue_page(bytes, path, findings);
  std::optional<Json> json = page ? parse_json(page->json, path, page->json_line, findings) : std::nullopt;
  if (!json) return std::nullopt;
  IssueFile issue{DataFile{path, sha256(bytes), std::move(*json)}, {}};
  issue.issue = read_value<Issue>(issue.file, findings);
  require_name(issue.file, "id", issue.issue.id, stem, findings);
  issue.issue.title = page->title;
  issue.issue.sections = std::move(page->sections);
  return issue;
}

std::optional<IssueFile> read_issue(const std::string& path, const std::string& stem, Findings& findings) {
  const std::optional<std::string> bytes = read_bytes(path, kMaxPageBytes, findings);
  return bytes ? parse_issue(*bytes, path, stem, findings) : std::nullopt;
}

std::optional<IssuePage> parse_issue_page(const std::string& text, const std::string& file, Findings& findings) {
  return PageReader(text, file, findings).read();
}

}  // namespace torchpatch::catalog
