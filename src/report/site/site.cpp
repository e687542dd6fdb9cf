// SPDX-License-Identifier: BSD-3-Clause
#include "report/site/site.h"

#include <algorithm>

#include "document/document.h"
#include "document/html.h"
#include "document/text.h"
#include "report/check/heat_map.h"
#include "report/reports.h"
#include "report/site/site_pages.h"
#include "search/find_issues.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::size_t count(const Plan& plan, IssueStatus status) {
  return static_cast<std::size_t>(std::ranges::count(plan.issues, status, &IssueDecision::status));
}

/// Returns the number of issues applied, without advice, which resolves nothing by itself.
std::size_t applied_without_advice(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(plan.issues, [](const IssueDecision& each) {
    return each.status == IssueStatus::applied && each.kind != FixKind::advice;
  }));
}

Square square_of(const Plan& plan) {
  const std::size_t uncertified = count(plan, IssueStatus::uncertified);
  const std::size_t undecided = count(plan, IssueStatus::undecided);
  const std::size_t changes = tree_changes(plan).size();
  const std::string title =
      concat(plan.release->version.text(), " on ", plan.board->id, ", ", plan.image->id, ": ",
             counted(changes, "issue"), " fixed in the tree, ", applied_without_advice(plan) - changes,
             " by variables and build steps", uncertified > 0 ? concat(", ", uncertified, " uncertified") : "",
             undecided > 0 ? concat(", ", undecided, " undecided") : "");
  if (uncertified > 0) return {SquareKind::uncertified, uncertified, title};
  if (undecided > 0) return {SquareKind::undecided, undecided, title};
  return {changes > 0 ? SquareKind::patched : SquareKind::plain, changes, title};
}

std::vector<std::string> release_names(const SiteData& data) {
  return collect(data.releases, [](const Release* release) { return release->version.text(); });
}

std::vector<std::string> board_names(const SiteData& data) {
  return collect(data.catalog->boards, [](const auto& entry) { return entry.first; });
}

/// Returns the search box at the top of every page; the first page's is larger. `root`: path to the site's root, where
/// the script finds the other files.
std::string search_form(const std::string& root, bool is_first_page) {
  return concat(
      "<search id=\"search\"", is_first_page ? " class=\"large\"" : "", " data-root=\"", root, "\" hidden>\n",
      "<label for=\"search-text\"", is_first_page ? "" : " class=\"visually-hidden\"", ">",
      is_first_page ? "Paste an error here: one line or a whole log" : "Paste an error or a log",
      "</label>\n<textarea id=\"search-text\" rows=\"", is_first_page ? 5 : 1,
      "\" spellcheck=\"false\" autocomplete=\"off\" autocapitalize=\"off\" placeholder=\"",
      is_first_page ? "nvlink error : entry function '_Z32ncclAllReduce… with max regcount of 80 calls function with "
                      "regcount of 96"
                    : "Paste an error or a log",
      "\"></textarea>\n<p class=\"hint\"><kbd>/</kbd> to search, <kbd>↓</kbd> and <kbd>↑</kbd> to move through the "
      "results, <kbd>Enter</kbd> to open one. Nothing leaves this page.</p>\n<p id=\"search-state\" "
      "role=\"status\"></p>\n"
      "<ol id=\"search-results\"></ol>\n</search>\n",
      is_first_page ? "<noscript><p class=\"note\">Search needs JavaScript. Without it, use the <a "
                      "href=\"symptoms.html\">symptoms from A to Z</a>, or the list below.</p></noscript>\n"
                    : "");
}

/// For each kind of page: its part of the site, its path and its manual page; the page's id is appended to both. The
/// map has no manual page: it needs more columns than a terminal has.
struct PagePlace {
  PageKind part;
  std::string_view path, man;
};

const PagePlace& place_of(PageKind kind) {
  static constexpr PagePlace kPlaces[] = {{PageKind::index, "", "torchpatch-issues"},
                                          {PageKind::symptoms, "symptoms", "torchpatch-symptoms"},
                                          {PageKind::index, "issues/", "torchpatch-issue-"},
                                          {PageKind::boards, "boards", "torchpatch-boards"},
                                          {PageKind::boards, "boards/", "torchpatch-board-"},
                                          {PageKind::releases, "releases", "torchpatch-releases"},
                                          {PageKind::releases, "releases/", "torchpatch-release-"},
                                          {PageKind::patchsets, "patches", "torchpatch-patches"},
                                          {PageKind::patchsets, "patches/", "torchpatch-patchset-"},
                                          {PageKind::coverage, "coverage", ""}};
  return kPlaces[static_cast<std::size_t>(kind)];
}

std::vector<NavigationLink> navigation(const Document& document, const Surroundings& around) {
  static const std::vector<std::pair<std::string, PageKind>> parts = {
      {"Issues", PageKind::index},      {"Symptoms", PageKind::symptoms}, {"Boards", PageKind::boards},
      {"Releases", PageKind::releases}, {"Patches", PageKind::patchsets}, {"Coverage", PageKind::coverage}};
  std::vector<NavigationLink> links;
  for (const auto& [words, kind] : parts)
    links.push_back({words, around.address({kind, ""}), place_of(document.self.kind).part == kind});
  return links;
}

std::string footer(const SiteData& data) {
  return concat(
      "<p>", counted(data.catalog->issues.size(), "known issue"), ", ", counted(data.releases.size(), "release"), ", ",
      counted(data.catalog->boards.size(), "board"),
      ". Everything here comes from the catalog of torchpatch; written by <code>torchpatch docs</code>.</p>\n");
}

/// The map is below its explanation; the two long lists have their own layout.
std::string main_part(const SiteData& data, const Document& document, const Surroundings& around) {
  const PageKind kind = document.self.kind;
  std::string main = document_html(document, around);
  if (kind == PageKind::coverage) return main + site_map_html(data);
  if (kind != PageKind::index && kind != PageKind::symptoms) return main;
  return concat("<div class=\"list-page ", kind == PageKind::index ? "index" : "symptoms", "\">\n", main, "</div>\n");
}

/// Appends the program's name if there is room; titles that are too long are cut at a word.
std::string window_title(const Document& document) {
  static constexpr std::string_view kName = " – torchpatch";
  static constexpr std::size_t kRoom = 70;  // search engines and tabs show no more
  const std::string& title = document.title;
  if (document.self.kind == PageKind::index) return title;
  if (title.size() + kName.size() <= kRoom) return concat(title, kName);
  return title.size() <= kRoom ? title : title.substr(0, title.rfind(' ', kRoom - 3)) + "…";
}

GeneratedFile page_file(const SiteData& data, const Document& document) {
  const PageRef& self = document.self;
  const Surroundings around = surroundings(data, self, "index", ".html");
  const std::string path = page_path(self, "index", ".html");
  const bool is_first_page = self.kind == PageKind::index;
  std::vector<std::string> scripts = {"copy.js", "search.js"};
  if (is_first_page || self.kind == PageKind::board || self.kind == PageKind::coverage)
    scripts.insert(scripts.end(), {"plan-data.js", "plans.js"});
  const HtmlPage page{.title = window_title(document),
                      .description = document.description,
                      .home = {"torchpatch", around.address({}), false},
                      .navigation = navigation(document, around),
                      .below_navigation = search_form(relative_address(path, ""), is_first_page),
                      .main = main_part(data, document, around),
                      .footer = footer(data),
                      .style_files = {relative_address(path, "style.css")},
                      .script_files = collect(scripts, [&](const auto& name) { return relative_address(path, name); }),
                      .has_worker = true};
  return {path, html_page(page)};
}

/// Returns the texts to search as a script, because a page opened as a file may not fetch anything.
std::string search_data(const SiteData& data) {
  Json issues = Json::array();
  for (const auto& [id, issue] : data.catalog->issues) {
    const Inline kind = severity_tag(issue);
    issues.push_back({{"id", id},
                      {"title", issue.title},
                      {"kind", kind.text},
                      {"tone", tone_class(kind.tone)},
                      {"symptoms", issue.symptoms}});
  }
  return concat("'use strict';\n\nconst torchpatchIssues = ", indented_json(issues, 1),
                ";\n\nconst torchpatchIndex = ", indented_json(search::index_json(*data.catalog), -1), ";\n");
}

/// Returns the output of `show --json` without its own schema number.
Json shown(Json object) {
  object.members.erase(object.members.begin());
  return object;
}

Json decision_json(const IssueDecision& decision) {
  Json object = {{"issue", decision.issue}, {"status", name_of(decision.status)}};
  if (decision.fix.empty()) return object;
  object["fix"] = decision.fix;
  object["kind"] = name_of(decision.kind);
  if (!decision.variant.empty()) object["variant"] = decision.variant;
  return object;
}

Json site_plan_json(const Plan& plan) {
  Json object = {{"release", plan.release->version.text()},
                 {"board", plan.board->id},
                 {"image", plan.image->id},
                 {"python", plan.python},
                 {"plan", plan.digest.hex()},
                 {"issues", Json::array()}};
  for (const IssueDecision& decision : plan.issues) object["issues"].push_back(decision_json(decision));
  return object;
}

std::string man_name(const PageRef& page) { return concat(place_of(page.kind).man, page.id); }

/// Returns the files in order of their paths.
std::vector<GeneratedFile> by_path(std::vector<GeneratedFile> files) {
  std::ranges::sort(files, {}, &GeneratedFile::name);
  return files;
}

/// Returns links to the other parts of the site, for formats without navigation.
Paragraph parts_line() {
  return {joined({{link_to({PageKind::symptoms}, "Symptoms from A to Z")},
                  {link_to({PageKind::boards}, "Boards")},
                  {link_to({PageKind::releases}, "Releases")},
                  {link_to({PageKind::patchsets}, "Patches")},
                  {link_to({PageKind::coverage}, "Coverage")}},
                 " · ")};
}

}  // namespace

std::string page_path(const PageRef& page, const std::string& index, const std::string& suffix) {
  return page.kind == PageKind::index ? index + suffix : concat(place_of(page.kind).path, page.id, suffix);
}

std::string relative_address(const std::string& from, const std::string& to) {
  const std::size_t from_slash = from.find('/');
  if (from_slash == std::string::npos) return to;
  const std::string directory = from.substr(0, from_slash + 1);
  return starts_with(to, directory) ? to.substr(directory.size()) : "../" + to;
}

Surroundings surroundings(const SiteData& data, const PageRef& self, const std::string& index,
                          const std::string& suffix) {
  Surroundings around;
  const std::string from = page_path(self, index, suffix);
  around.address = [from, index, suffix](const PageRef& page) {
    return relative_address(from, page_path(page, index, suffix));
  };
  for (const auto& [id, issue] : data.catalog->issues) around.names.emplace_back(id, PageRef{PageKind::issue, id});
  return around;
}

HeatMap plan_map(const SiteData& data) {
  HeatMap map;
  for (const Release* release : data.releases) {
    std::vector<Square>& row = map.emplace_back();
    for (const auto& [id, board] : data.catalog->boards) {
      const Plan* plan = plan_for(data, *release, id);
      Square square =
          plan ? square_of(*plan)
               : Square{SquareKind::no_image, 0, concat(release->version.text(), " on ", id, ": no image fits")};
      for (const BuildEvidence& each : data.catalog->evidence) {
        if (each.release != release->version.text() || each.board != id) continue;
        square.level = square.level ? std::max(*square.level, each.level) : each.level;
        square.title += concat("; ", each.image, " ", evidence_words(each));
      }
      row.push_back(std::move(square));
    }
  }
  return map;
}

std::string site_map_html(const SiteData& data) {
  const HeatMap map = plan_map(data);
  return heat_map_legend(map) + heat_map_table(release_names(data), board_names(data), map, true);
}

Table site_map_table(const SiteData& data) {
  Table table{"Issues fixed in the tree, by release and board", {"Release"}, {}};
  for (const std::string& board : board_names(data)) table.heads.push_back(board);
  const HeatMap map = plan_map(data);
  for (std::size_t i = 0; i < map.size(); ++i) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back(cell({release_link(data.releases[i]->version.text())}));
    for (const Square& square : map[i]) row.push_back(cell(square.label()));
  }
  return table;
}

std::vector<GeneratedFile> site_html(const SiteData& data) {
  std::vector<GeneratedFile> files = {{"copy.js", std::string(kCopyJs)},
                                      {"plan-data.js", plan_data(data)},
                                      {"plans.js", std::string(kPlansJs)},
                                      {"search-data.js", search_data(data)},
                                      {"search-engine.js", std::string(kSearchEngineJs)},
                                      {"search.js", std::string(kSearchJs)},
                                      {"style.css", page_style(concat(kPatchCss, kSiteCss, heat_map_css()))}};
  for (const Document& document : site_documents(data)) files.push_back(page_file(data, document));
  return by_path(std::move(files));
}

std::vector<GeneratedFile> site_json(const SiteData& data) {
  const Catalog& catalog = *data.catalog;
  Json root = {{"schema", 1}};
  for (const char* part : {"issues", "boards", "releases", "patchsets", "plans", "misfits"}) root[part] = Json::array();
  for (const auto& [id, issue] : catalog.issues) root["issues"].push_back(shown(to_json(issue, JsonForm::report)));
  for (const auto& [id, board] : catalog.boards) root["boards"].push_back(shown(to_json(board, JsonForm::report)));
  for (const Release* each : data.releases) root["releases"].push_back(shown(to_json(*each, JsonForm::report)));
  for (const auto& [id, patchset] : catalog.patchsets)
    root["patchsets"].push_back(shown(patchset_json(patchset, catalog)));
  for (const auto& [pair, plan] : data.plans) root["plans"].push_back(site_plan_json(plan));
  for (const auto& [pair, reasons] : data.misfits)
    root["misfits"].push_back({{"release", pair.first.text()}, {"board", pair.second}, {"reasons", reasons}});
  return {{"torchpatch-docs.json", report_json(root)}};
}

std::vector<GeneratedFile> site_man(const SiteData& data) {
  const Surroundings around{man_name, {}};
  std::vector<GeneratedFile> files;
  for (const Document& document : site_documents(data)) {
    const std::string name = man_name(document.self);
    if (!name.empty()) files.push_back({name + ".7", document_man(document, around, name)});
  }
  return by_path(std::move(files));
}

std::vector<GeneratedFile> site_markdown(const SiteData& data) {
  std::vector<GeneratedFile> files;
  for (Document& document : site_documents(data)) {
    const bool is_index = document.self.kind == PageKind::index;
    document.blocks.insert(document.blocks.begin(),
                           is_index ? parts_line() : Paragraph{{link_to({PageKind::index}, "All known issues")}});
    if (document.self.kind == PageKind::coverage) document.blocks.push_back(site_map_table(data));
    files.push_back({page_path(document.self, "README", ".md"),
                     document_markdown(document, surroundings(data, document.self, "README", ".md"))});
  }
  return by_path(std::move(files));
}

}  // namespace torchpatch::report
