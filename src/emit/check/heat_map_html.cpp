// SPDX-License-Identifier: BSD-3-Clause
#include "emit/check/heat_map_html.h"

#include <set>

#include "emit/check/heat_map_style.h"
#include "emit/html/html_text.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

constexpr const char* kRules = R"(
.heat-map { border-collapse: separate; border-spacing: 2px; font-size: 0.8125rem; }
.heat-map th, .heat-map td { border: 0; padding: 0 0.375rem; text-align: center; }
.heat-map td { min-width: 1.9rem; line-height: 1.5rem; border-radius: 2px; }
.heat-map thead th { padding: 0 0 0.375rem; writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; vertical-align: bottom; white-space: nowrap; line-height: 1.9rem; }
.heat-map tbody th { position: sticky; left: 0; padding: 0 0.75rem 0 0; background: var(--page); text-align: right; white-space: nowrap; }
.heat-map th a { color: inherit; text-decoration: none; }
.heat-map th a:hover { color: var(--accent); text-decoration: underline; }
.legend { padding: 0; list-style: none; font-size: var(--small); }
.legend span { display: inline-block; min-width: 1.9rem; margin-right: 0.5rem; border-radius: 2px; text-align: center; }
)";

std::string name_cell(const char* scope, const std::string& name, const std::string& prefix) {
  const std::string text = prefix.empty() ? html_text(name) : html_link(prefix + name + ".html", name);
  return concat("<th scope=\"", scope, "\">", text, "</th>");
}

}  // namespace

std::string heat_map_table(const std::vector<std::string>& releases, const std::vector<std::string>& boards,
                           const HeatMap& map, const HeatMapLinks& links) {
  std::string html =
      "<section class=\"wide\" tabindex=\"0\" aria-label=\"Releases and boards\">\n"
      "<table class=\"heat-map\">\n<thead>\n<tr><td></td>";
  for (const std::string& board : boards) html += name_cell("col", board, links.boards);
  html += "</tr>\n</thead>\n<tbody>\n";
  for (std::size_t row = 0; row < map.size(); ++row) {
    html += "<tr>" + name_cell("row", releases[row], links.releases);
    for (const Square& square : map[row]) {
      html += concat("<td class=\"", square_class(square.kind), "\" title=\"", html_text(square.title), "\">",
                     square.label(), "</td>");
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</section>\n";
}

std::string heat_map_legend(const HeatMap& map) {
  std::set<SquareKind> kinds;
  for (const std::vector<Square>& row : map) {
    for (const Square& square : row) kinds.insert(square.kind);
  }
  std::string html = "<ul class=\"legend\">\n";
  for (const SquareKind kind : kinds) {
    const SquareMeaning meaning = square_meaning(kind);
    html +=
        concat("<li><span class=\"", square_class(kind), "\">", meaning.example, "</span> ", meaning.text, "</li>\n");
  }
  return html + "</ul>\n";
}

std::string heat_map_css() {
  std::string css = heat_map_variables() + kRules;
  for (const SquareKind kind : square_kinds()) {
    const char* name = square_class(kind);
    css += concat(".", name, " { background: var(--", name, "); color: var(--", name, "-ink); }\n");
  }
  return css;
}

}  // namespace torchpatch::emit
