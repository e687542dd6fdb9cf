// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/check/cell_groups.h"
#include "emit/check/heat_map.h"
#include "emit/check/heat_map_style.h"
#include "emit/format/xml_text.h"
#include "emit/html/assets.h"
#include "support/text.h"

namespace torchpatch::emit {

namespace {

constexpr std::size_t kWidth = 30, kHeight = 18, kGap = 2;  ///< of a square
constexpr std::size_t kLetter = 7;                          ///< width of a letter of the text, 12 pixels high
constexpr std::size_t kMargin = 12, kLine = 18;

std::size_t longest(const std::vector<std::string>& names) {
  std::size_t length = 0;
  for (const std::string& name : names) length = std::max(length, name.size());
  return length;
}

/// Where things stand, in pixels.
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
  return concat("<g class=\"", square_class(square.kind), "\"><title>", xml_text(square.title), "</title><rect x=\"", x,
                "\" y=\"", y, "\" width=\"", kWidth, "\" height=\"", kHeight, "\" rx=\"3\"/>",
                text_at(x + kWidth / 2, y + kHeight - 5, label, " class=\"label\""), "</g>\n");
}

std::string style() {
  std::string css = std::string(kTokensCss) + heat_map_variables() +
                    "svg { background: var(--page); }\ntext { font: 12px sans-serif; fill: var(--ink); }\n"
                    "rect { stroke: var(--line); }\n.label { text-anchor: middle; }\n";
  for (const SquareKind kind : square_kinds()) {
    const char* name = square_class(kind);
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
  for (const SquareKind kind : square_kinds()) {
    const SquareMeaning meaning = square_meaning(kind);
    text += square_at(kMargin, y, {kind, 0, meaning.text}, meaning.example);
    text += text_at(kMargin + kWidth + 8, y + kHeight - 5, meaning.text) + "\n";
    y += kLine + kGap;
  }
  for (const std::string& line : {counts_text(report), no_sources_text(report)}) {
    text += text_at(kMargin, y + kHeight - 5, line) + "\n";
    y += kLine;
  }
  return text;
}

}  // namespace

std::string check_svg(const CheckReport& report) {
  const Layout layout = lay_out(report, square_kinds().size() + 3);
  return concat("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title desc\" width=\"",
                layout.width, "\" height=\"", layout.height, "\" viewBox=\"0 0 ", layout.width, " ", layout.height,
                "\">\n<title id=\"title\">torchpatch check</title>\n<desc id=\"desc\">", xml_text(counts_text(report)),
                "</desc>\n", style(), heads(report, layout), squares(report, layout), legend(report, layout),
                "</svg>\n");
}

}  // namespace torchpatch::emit
