// SPDX-License-Identifier: BSD-3-Clause
#include "report/check/heat_map.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "document/html.h"
#include "report/check/check_report.h"
#include "support/text.h"

namespace torchpatch::report {

// As embedded by cmake/embed.cmake. The colours for light and dark mode give text a contrast of at least 4.5 (WCAG 2.1,
// 1.4.3): --<class> of a kind of square, and --<class>-ink of its text.
extern const std::string_view kHeatMapColours, kHeatMapCss;

namespace {

constexpr const char* kLevelMarks[] = {"◔", "◑", "◕", "●"};  // configured, built, imported, numerics

/// The cells of one release and board.
struct Tally {
  std::set<std::string> images;
  std::map<CellStatus, std::set<std::string>> issues;  ///< of all images
};

bool has(const Tally& tally, CellStatus status) { return tally.issues.contains(status); }

/// Returns the worst kind for which there is a status; otherwise no change is needed.
SquareKind kind_of(const Tally& tally) {
  if (tally.images.empty()) return SquareKind::no_image;
  for (const SquareMeaning& each : square_meanings())
    if (std::ranges::any_of(each.statuses, [&](CellStatus status) { return has(tally, status); })) return each.kind;
  return SquareKind::plain;
}

std::size_t count_issues(const Tally& tally, SquareKind kind) {
  std::size_t count = 0;
  for (const CellStatus status : meaning_of(kind).statuses)
    if (has(tally, status)) count += tally.issues.at(status).size();
  return count;
}

std::string title_of(const Tally& tally, const std::string& release, const std::string& board) {
  const std::string who = concat(release, " on ", board, ": ");
  if (tally.images.empty()) return who + meaning_of(SquareKind::no_image).text;
  std::vector<std::string> parts;
  for (const auto& [status, issues] : tally.issues) parts.push_back(concat(issues.size(), " ", name_of(status)));
  return concat(who, counted(tally.images.size(), "image"), parts.empty() ? "" : ", ", join(parts, ", "));
}

std::string name_cell(const char* scope, const std::string& name, const std::string& prefix) {
  const std::string text = prefix.empty() ? html_text(name) : html_link(prefix + name + ".html", name);
  return concat("<th scope=\"", scope, "\">", text, "</th>");
}

constexpr std::size_t kWidth = 30, kHeight = 18, kGap = 2;  ///< of a square
constexpr std::size_t kLetter = 7;                          ///< width of a letter, 12 pixels high
constexpr std::size_t kMargin = 12, kLine = 18;

/// Positions, in pixels.
struct Layout {
  std::size_t left, top;  ///< of the first square
  std::size_t legend;     ///< top of the legend
  std::size_t width, height;
};

Layout lay_out(const CheckReport& report, std::size_t legend_lines) {
  Layout layout = {};
  layout.left = kMargin + longest(report.releases) * kLetter + kMargin;
  layout.top = 2 * kMargin + kLine + longest(report.boards) * kLetter;
  layout.legend = layout.top + report.releases.size() * (kHeight + kGap) + kMargin;
  layout.width =
      std::max(layout.left + report.boards.size() * (kWidth + kGap), kMargin + counts_text(report).size() * kLetter) +
      kMargin;
  layout.height = layout.legend + legend_lines * kLine + kMargin;
  return layout;
}

std::string text_at(std::size_t x, std::size_t y, const std::string& text, const std::string& more = "") {
  return concat("<text x=\"", x, "\" y=\"", y, "\"", more, ">", xml_text(text), "</text>");
}

std::string square_at(std::size_t x, std::size_t y, const Square& square, const std::string& label) {
  return concat("<g class=\"", meaning_of(square.kind).name, "\"><title>", xml_text(square.title), "</title><rect x=\"",
                x, "\" y=\"", y, "\" width=\"", kWidth, "\" height=\"", kHeight, "\" rx=\"3\"/>",
                text_at(x + kWidth / 2, y + kHeight - 5, label, " class=\"label\""), "</g>\n");
}

std::string style() {
  std::string css = concat(kTokensCss, kHeatMapColours,
                           "svg { background: var(--page); }\ntext { font: 12px sans-serif; fill: var(--ink); }\n"
                           "rect { stroke: var(--line); }\n.label { text-anchor: middle; }\n");
  for (const auto& [kind, name, mark, meaning, statuses] : square_meanings()) {
    css +=
        concat(".", name, " rect { fill: var(--", name, "); } .", name, " .label { fill: var(--", name, "-ink); }\n");
  }
  return "<style>\n" + css + "</style>\n";
}

std::string heads(const CheckReport& report, const Layout& layout) {
  std::string text = text_at(kMargin, kMargin + kLine / 2 + 3, "torchpatch check: releases and boards") + "\n";
  for (std::size_t i = 0; i < report.boards.size(); ++i) {
    const std::size_t x = layout.left + i * (kWidth + kGap) + kWidth / 2 + 4, y = layout.top - 6;
    text += text_at(x, y, report.boards[i], concat(" transform=\"rotate(-90 ", x, " ", y, ")\"")) + "\n";
  }
  return text;
}

std::string squares(const CheckReport& report, const Layout& layout) {
  std::string text;
  const HeatMap map = make_heat_map(report);
  for (std::size_t row = 0; row < map.size(); ++row) {
    const std::size_t y = layout.top + row * (kHeight + kGap);
    text += text_at(kMargin, y + kHeight - 5, report.releases[row]) + "\n";
    for (std::size_t column = 0; column < map[row].size(); ++column) {
      const Square& square = map[row][column];
      text += square_at(layout.left + column * (kWidth + kGap), y, square, square.label());
    }
  }
  return text;
}

std::string legend(const CheckReport& report, const Layout& layout) {
  std::string text;
  std::size_t y = layout.legend;
  for (const SquareMeaning& meaning : square_meanings()) {
    text += square_at(kMargin, y, {meaning.kind, 0, meaning.text}, meaning.example());
    text += text_at(kMargin + kWidth + 8, y + kHeight - 5, meaning.text) + "\n";
    y += kLine + kGap;
  }
  for (const std::string& line : {counts_text(report), sources_text(report)}) {
    text += text_at(kMargin, y + kHeight - 5, line) + "\n";
    y += kLine;
  }
  return text;
}

}  // namespace

const std::vector<SquareMeaning>& square_meanings() {
  static const std::vector<SquareMeaning> meanings = {
      {SquareKind::broken,
       "broken",
       "x",
       "broken issues (the result of the patch differs from its certificate)",
       {CellStatus::broken}},
      {SquareKind::uncertified,
       "uncertified",
       "u",
       "uncertified issues (the patch has no certificate)",
       {CellStatus::uncertified}},
      {SquareKind::undecided,
       "undecided",
       "?",
       "undecided issues (a fact or a deciding commit is unknown)",
       {CellStatus::undecided}},
      {SquareKind::patched,
       "patched",
       "",
       "issues fixed by patches or added files",
       {CellStatus::applied, CellStatus::files}},
      {SquareKind::plain, "plain", "", "no change to the tree needed", {}},
      {SquareKind::no_image, "no-image", "-", "no image of the board fits the release", {}}};
  return meanings;
}

const SquareMeaning& meaning_of(SquareKind kind) { return square_meanings()[static_cast<std::size_t>(kind)]; }

std::string SquareMeaning::example() const {
  const bool has_issues = !statuses.empty();
  return Square{kind, has_issues ? 1u : 0u, text}.label();
}

std::string Square::label() const {
  const std::string count = kind == SquareKind::no_image ? "-" : concat(meaning_of(kind).mark, issues);
  return level ? concat(count, " ", entry_of(kLevelMarks, *level)) : count;
}

std::size_t longest(const std::vector<std::string>& names) {
  std::size_t length = 0;
  for (const std::string& name : names) length = std::max(length, name.size());
  return length;
}

HeatMap make_heat_map(const CheckReport& report) {
  std::map<std::pair<std::string, std::string>, Tally> tallies;
  for (const CheckCell& cell : report.cells) {
    Tally& tally = tallies[{cell.release, cell.board}];
    tally.images.insert(cell.image);
    tally.issues[cell.status].insert(cell.issue);
  }
  HeatMap map;
  for (const std::string& release : report.releases) {
    std::vector<Square>& row = map.emplace_back();
    for (const std::string& board : report.boards) {
      const Tally& tally = tallies[{release, board}];
      const SquareKind kind = kind_of(tally);
      row.push_back({kind, count_issues(tally, kind), title_of(tally, release, board)});
    }
  }
  return map;
}

std::string heat_map_table(const std::vector<std::string>& releases, const std::vector<std::string>& boards,
                           const HeatMap& map, bool has_links) {
  std::string html =
      "<section class=\"wide\" tabindex=\"0\" aria-label=\"Releases and boards\">\n"
      "<table class=\"heat-map\">\n<thead>\n<tr><td></td>";
  for (const std::string& board : boards) html += name_cell("col", board, has_links ? "boards/" : "");
  html += "</tr>\n</thead>\n<tbody>\n";
  for (std::size_t row = 0; row < map.size(); ++row) {
    html += "<tr>" + name_cell("row", releases[row], has_links ? "releases/" : "");
    for (const Square& square : map[row]) {
      html +=
          concat("<td class=\"", meaning_of(square.kind).name, square.level ? concat(" ", name_of(*square.level)) : "",
                 "\" title=\"", html_text(square.title), "\">", square.label(), "</td>");
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</section>\n";
}

std::string heat_map_legend(const HeatMap& map) {
  std::set<SquareKind> kinds;
  for (const std::vector<Square>& row : map)
    for (const Square& square : row) kinds.insert(square.kind);
  std::string html = "<ul class=\"legend\">\n";
  for (const SquareKind kind : kinds) {
    const SquareMeaning& meaning = meaning_of(kind);
    html += concat("<li><span class=\"", meaning.name, "\">", meaning.example(), "</span> ", meaning.text, "</li>\n");
  }
  const auto has_level = [](const std::vector<Square>& row) {
    return std::ranges::any_of(row, [](const Square& square) { return square.level.has_value(); });
  };
  if (std::ranges::any_of(map, has_level)) {
    for (const std::string& name : names_of<EvidenceLevel>()) {
      const EvidenceLevel level = *parse_name<EvidenceLevel>(name);
      html += concat("<li><span class=\"", name, "\">", entry_of(kLevelMarks, level), "</span> ", level_words(level),
                     "</li>\n");
    }
  }
  return html + "</ul>\n";
}

std::string heat_map_css() {
  std::string css = concat(kHeatMapColours, kHeatMapCss);
  for (const auto& [kind, name, mark, meaning, statuses] : square_meanings())
    css += concat(".", name, " { background: var(--", name, "); color: var(--", name, "-ink); }\n");
  return css;
}

std::string check_svg(const CheckReport& report) {
  const Layout layout = lay_out(report, square_meanings().size() + 3);
  return concat("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title desc\" width=\"",
                layout.width, "\" height=\"", layout.height, "\" viewBox=\"0 0 ", layout.width, " ", layout.height,
                "\">\n<title id=\"title\">torchpatch check</title>\n<desc id=\"desc\">", xml_text(counts_text(report)),
                "</desc>\n", style(), heads(report, layout), squares(report, layout), legend(report, layout),
                "</svg>\n");
}

}  // namespace torchpatch::report
