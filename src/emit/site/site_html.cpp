// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <nlohmann/json.hpp>

#include "emit/check/heat_map_html.h"
#include "emit/format/number_text.h"
#include "emit/html/assets.h"
#include "emit/html/page.h"
#include "emit/site/site_assets.h"
#include "emit/site/site_map.h"
#include "emit/site/site_pages.h"
#include "emit/site/site_paths.h"
#include "emit/site/site_words.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

constexpr const char* kSearchForm =
    R"(<p class="lead">Paste an error, one line or the whole end of a log: colours, paths and line numbers do no harm.</p>
<search id="search" hidden>
<label for="search-text">Error message or log</label>
<textarea id="search-text" rows="5" spellcheck="false" autocomplete="off" autocapitalize="off" placeholder="nvlink error : entry function '_Z32ncclAllReduce… with max regcount of 80 calls function with regcount of 96"></textarea>
<p class="hint"><kbd>/</kbd> to get here, <kbd>↓</kbd> and <kbd>↑</kbd> to walk through what is found, <kbd>Enter</kbd> to open it. Nothing leaves this page.</p>
<p id="search-state" role="status"></p>
<ol id="search-results"></ol>
</search>
<noscript><p class="note">Searching needs JavaScript. Without it, look through the <a href="symptoms.html">symptoms from A to Z</a>, or below.</p></noscript>
)";

/// Returns the part of the site that a page belongs to.
PageKind part_of(PageKind kind) {
  switch (kind) {
    case PageKind::issue:
      return PageKind::index;
    case PageKind::board:
      return PageKind::boards;
    case PageKind::release:
      return PageKind::releases;
    case PageKind::patchset:
      return PageKind::patchsets;
    default:
      return kind;
  }
}

std::vector<NavigationLink> navigation(const Document& document, const Surroundings& around) {
  static const std::vector<std::pair<std::string, PageKind>> parts = {
      {"Issues", PageKind::index},      {"Symptoms", PageKind::symptoms}, {"Boards", PageKind::boards},
      {"Releases", PageKind::releases}, {"Patches", PageKind::patchsets}, {"Coverage", PageKind::coverage}};
  std::vector<NavigationLink> links;
  for (const auto& [words, kind] : parts) {
    links.push_back({words, around.address({kind, ""}), part_of(document.self.kind) == kind});
  }
  return links;
}

std::string footer(const SiteData& data) {
  return concat(
      "<p>", counted(data.catalog->issues.size(), "known issue"), ", ", counted(data.releases.size(), "release"), ", ",
      counted(data.catalog->boards.size(), "board"),
      ". Every statement comes from the catalog of torchpatch; written by <code>torchpatch docs</code>.</p>\n");
}

/// The search stands before the list of issues, the map below its explanation; both lists of many have their own
/// layout.
std::string main_part(const SiteData& data, const Document& document, const Surroundings& around) {
  const PageKind kind = document.self.kind;
  std::string main = document_html(document, around, kind == PageKind::index ? kSearchForm : "");
  if (kind == PageKind::coverage) return main + site_map_html(data);
  if (kind != PageKind::index && kind != PageKind::symptoms) return main;
  return concat("<div class=\"list-page ", kind == PageKind::index ? "index" : "symptoms", "\">\n", main, "</div>\n");
}

/// With the program's name behind it where there is room; what is too long is cut at a word.
std::string window_title(const Document& document) {
  static constexpr std::string_view kName = " – torchpatch";
  static constexpr std::size_t kRoom = 70;  // search engines and tabs show no more
  const std::string& title = document.title;
  if (document.self.kind == PageKind::index) return title;
  if (title.size() + kName.size() <= kRoom) return concat(title, kName);
  return title.size() <= kRoom ? title : title.substr(0, title.rfind(' ', kRoom - 3)) + "…";
}

SiteFile page_file(const SiteData& data, const Document& document) {
  const PageRef& self = document.self;
  const Surroundings around = surroundings(data, self, "index", ".html");
  const std::string path = page_path(self, "index", ".html");
  HtmlPage page{.title = window_title(document),
                .description = document.description,
                .home = {"torchpatch", around.address({}), false},
                .navigation = navigation(document, around),
                .main = main_part(data, document, around),
                .footer = footer(data),
                .style_files = {relative_address(path, "style.css")},
                .script_files = {relative_address(path, "copy.js")}};
  if (self.kind == PageKind::index) page.script_files = {"search-data.js", "search.js"};
  return {path, html_page(page)};
}

/// The texts to search for, as a script: a page that is opened as a file may not fetch anything.
std::string search_data(const SiteData& data) {
  nlohmann::ordered_json issues = nlohmann::ordered_json::array();
  for (const auto& [id, issue] : data.catalog->issues) {
    const Inline kind = severity_tag(issue);
    issues.push_back({{"id", id},
                      {"title", issue.title},
                      {"kind", kind.text},
                      {"tone", kind.tone == Tone::bad ? "bad" : "caution"},
                      {"symptoms", issue.symptoms}});
  }
  return concat("'use strict';\n\nconst torchpatchIssues = ", issues.dump(1), ";\n");
}

}  // namespace

std::vector<SiteFile> site_html(const SiteData& data) {
  std::vector<SiteFile> files = {{"copy.js", std::string(kCopyJs)},
                                 {"search-data.js", search_data(data)},
                                 {"search.js", std::string(kSearchJs)},
                                 {"style.css", page_style(concat(kPatchCss, kSiteCss, heat_map_css()))}};
  for (const Document& document : site_documents(data)) files.push_back(page_file(data, document));
  std::sort(files.begin(), files.end(), [](const SiteFile& a, const SiteFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace torchpatch::emit
