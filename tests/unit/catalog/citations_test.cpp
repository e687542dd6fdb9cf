// SPDX-License-Identifier: BSD-3-Clause
// Every place in upstream's sources that a page names is data, so that check --mirror can look at it.

#include <regex>
#include <set>

#include "catalog/load_catalog.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::catalog {
namespace {

/// Returns the text of a section without fenced blocks, whose lines are what tools print or read, and without links.
std::string prose_of(const std::string& section) {
  std::string prose;
  bool is_fenced = false;
  for (const std::string& line : split(section, '\n'))
    if (starts_with(trim(line), "```"))
      is_fenced = !is_fenced;
    else if (!is_fenced)
      prose += line + "\n";
  return std::regex_replace(prose, std::regex("\\]\\([^)]*\\)|<https?:[^>]*>|https?://[^ )>]*"), "] ");
}

/// A file and a line as a text names them; the file may be empty (`:12`, "line 12") or the end of a path.
struct Mention {
  std::string file;
  std::string line;
};

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells = split(row, '|');
  for (std::string& cell : cells) cell = trim(cell);
  return cells;
}

/// Adds the numbers in the cells of tables below a heading that says "line".
void add_mentions_in_tables(const std::string& prose, std::vector<Mention>& mentions) {
  static const std::regex kNumbers("[1-9][0-9]*"), kVersions("[0-9]+([.][0-9]+)+");
  std::vector<std::string> heading;
  for (const std::string& row : split(prose, '\n')) {
    if (!starts_with(row, "|")) {
      heading.clear();
      continue;
    }
    const std::vector<std::string> cells = cells_of(row);
    for (std::size_t i = 0; i < std::min(cells.size(), heading.size()); ++i) {
      if (heading[i].find("line") == std::string::npos) continue;
      const std::string cell = std::regex_replace(cells[i], kVersions, "");
      for (std::sregex_iterator at(cell.begin(), cell.end(), kNumbers), end; at != end; ++at)
        mentions.push_back({"", at->str()});
    }
    if (heading.empty()) heading = cells;
  }
}

std::vector<Mention> mentions_in(const std::string& prose) {
  static const std::regex kPlaceInText("([A-Za-z0-9_./+-]*)[:]([1-9][0-9]*)(?![0-9.]*[0-9A-Za-z])");
  static const std::regex kLineInText("\\blines?\\s+([1-9][0-9]*)(?:\\s*(?:,|and|to|or)\\s+([1-9][0-9]*))*");
  static const std::regex kNumber("[1-9][0-9]*");
  std::vector<Mention> mentions;
  for (std::sregex_iterator at(prose.begin(), prose.end(), kPlaceInText), end; at != end; ++at)
    mentions.push_back({(*at)[1], (*at)[2]});
  for (std::sregex_iterator at(prose.begin(), prose.end(), kLineInText), end; at != end; ++at) {
    const std::string text = at->str();
    for (std::sregex_iterator number(text.begin(), text.end(), kNumber); number != end; ++number)
      mentions.push_back({"", number->str()});
  }
  add_mentions_in_tables(prose, mentions);
  return mentions;
}

/// True where some citation is of that line, in a file whose path ends with what the text calls it.
bool is_cited(const Mention& mention, const Citations& citations) {
  return std::ranges::any_of(citations.present, [&](const Citation& each) {
    const std::size_t colon = each.place.rfind(':');
    const std::string file = each.place.substr(0, colon);
    return each.place.substr(colon + 1) == mention.line && file.ends_with(mention.file);
  });
}

bool is_outside(const Mention& mention, const Citations& citations) {
  return starts_with(mention.file, "/") ||
         std::ranges::count(citations.outside, concat(mention.file, ":", mention.line)) > 0;
}

/// Adds what a text names and neither cites nor calls outside.
void add_uncited(const std::string& where, const std::string& text, const Citations& citations,
                 std::vector<std::string>& missing) {
  for (const Mention& mention : mentions_in(prose_of(text)))
    if (!is_outside(mention, citations) && !is_cited(mention, citations))
      missing.push_back(concat(where, ": ", mention.file, ":", mention.line));
}

}  // namespace

TEST_CASE("citations: every place that a page, a release or a board names is data") {
  const Catalog catalog = load_catalog({{"shipped", torchpatch::test::source_directory()}});
  std::vector<std::string> missing;
  for (const auto& [id, issue] : catalog.issues)
    for (const auto& [name, section] : issue.sections)
      add_uncited(concat(id, ": ", name), section, issue.citations, missing);
  for (const auto& [version, release] : catalog.releases)
    for (const SourceNote& note : release.sources) add_uncited(version.text(), note.source, release.citations, missing);
  for (const auto& [id, board] : catalog.boards)
    for (const SourceNote& note : board.sources) add_uncited(id, note.source, board.citations, missing);
  INFO(join(missing, "\n"));
  CHECK(missing.empty());
}

TEST_CASE("citations: a place is found in whatever form a text names it") {
  const auto names = [](const std::string& text) {
    std::vector<std::string> found;
    for (const Mention& each : mentions_in(prose_of(text))) found.push_back(each.file + ":" + each.line);
    return join(found, " ");
  };
  CHECK(names("`setup.py:12` and `:148`, lines 26 to 29; line 7.") == "setup.py:12 :148 :26 :29 :7");
  CHECK(names("| a | tools/x.cmake:3 |") == "tools/x.cmake:3");
  CHECK(names("| release | lines |\n|---|---|\n| c | 1.8: 195; 1.9: 278 |\n\n| a | b |\n|---|---|\n| c | 5 |") ==
        ":195 :278");
  CHECK(names("[text](https://a.b/c.py:12) <https://a/b:3> at 12:30h, torch:1.8") == "");
  CHECK(names("```text\nfile.cc:152:39: error\n```\nafter") == "");
}

}  // namespace torchpatch::catalog
