// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/html_scanner.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "fuzz/harmless_text.h"
#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

using Problem = std::optional<std::string>;

/// Elements with their attributes.
const std::map<std::string, std::set<std::string>, std::less<>> kElements = {
    {"p", {}},       {"ol", {"start"}},  {"ul", {}},
    {"li", {}},      {"blockquote", {}}, {"em", {}},
    {"strong", {}},  {"code", {}},       {"pre", {"tabindex"}},
    {"a", {"href"}}, {"h2", {"id"}},     {"h3", {"id"}},
    {"h4", {"id"}},  {"h5", {"id"}},     {"h6", {"id"}}};
const std::set<std::string, std::less<>> kEmptyElements = {"br", "hr"};
const std::vector<std::string> kReferences = {"&amp;", "&lt;", "&gt;", "&quot;"};

Problem href_problem(std::string_view href) {
  const std::string lower(href);
  for (const char* scheme : {"https://", "http://", "mailto:", "#"})
    if (starts_with(lower, scheme)) return std::nullopt;
  return concat("a link to ", quote(href));
}

Problem text_problem(std::string_view text) {
  if (text.find_first_of("<>\"") != std::string_view::npos) return concat("a bare bracket or quote in ", quote(text));
  for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
    const auto is_here = [&](const std::string& reference) { return starts_with(text.substr(at), reference); };
    if (std::none_of(kReferences.begin(), kReferences.end(), is_here)) return "a bare '&'";
  }
  std::string shown(text);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return is_harmless(shown) ? std::nullopt : Problem(concat("raw text: ", quote(text)));
}

class Scanner {
 public:
  explicit Scanner(std::string_view html) : html_(html) {}

  Problem run() {
    while (!html_.empty()) {
      const bool is_tag = html_[0] == '<';
      const std::size_t end = is_tag ? html_.find('>') : std::min(html_.find('<'), html_.size());
      if (end == std::string_view::npos) return "a tag that does not end";
      if (Problem problem = is_tag ? tag_problem(html_.substr(1, end - 1)) : text_problem(html_.substr(0, end)))
        return problem;
      html_.remove_prefix(end + (is_tag ? 1 : 0));
    }
    return open_.empty() ? std::nullopt : Problem(concat("<", open_.back(), "> is not closed"));
  }

 private:
  Problem tag_problem(std::string_view tag) {
    if (starts_with(tag, "/")) {
      if (open_.empty() || open_.back() != tag.substr(1)) return concat("</", tag.substr(1), "> closes nothing");
      open_.pop_back();
      return std::nullopt;
    }
    const std::string_view name = tag.substr(0, tag.find(' '));
    if (kEmptyElements.contains(name)) return name == tag ? std::nullopt : Problem("an attribute of an empty element");
    const auto element = kElements.find(name);
    if (element == kElements.end()) return concat("the element ", quote(name));
    if (name == "a" && std::find(open_.begin(), open_.end(), "a") != open_.end()) return "a link in a link";
    open_.emplace_back(name);
    return attributes_problem(tag.substr(name.size()), element->second);
  }

  Problem attributes_problem(std::string_view rest, std::set<std::string> allowed) {
    while (!rest.empty()) {
      const std::size_t equals = rest.find("=\"");
      const std::size_t end = equals == std::string_view::npos ? equals : rest.find('"', equals + 2);
      if (rest[0] != ' ' || end == std::string_view::npos) return "a malformed attribute";
      const std::string name(rest.substr(1, equals - 1));
      const std::string_view value = rest.substr(equals + 2, end - equals - 2);
      if (allowed.erase(name) == 0) return concat("the attribute ", quote(name));
      if (Problem problem = value_problem(name, value)) return problem;
      rest.remove_prefix(end + 1);
    }
    return std::nullopt;
  }

  Problem value_problem(const std::string& name, std::string_view value) {
    if (name == "href") return href_problem(value);
    if (name == "id" && !ids_.emplace(value).second) return concat("the id ", quote(value), " twice");
    const std::string_view plain = "abcdefghijklmnopqrstuvwxyz0123456789-";
    return value.empty() || value.find_first_not_of(plain) != value.npos ? Problem("a value that is not plain")
                                                                         : std::nullopt;
  }

  std::string_view html_;
  std::vector<std::string> open_;
  std::set<std::string> ids_;
};

}  // namespace

std::optional<std::string> html_problem(std::string_view html) { return Scanner(html).run(); }

}  // namespace torchpatch::fuzz
