// SPDX-License-Identifier: BSD-3-Clause
/// HeatMap of check: releases × boards; each square sums up all images and issues (internal).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/check.h"
#include "model/matrix.h"

namespace torchpatch::report {

/// Kinds of squares, worst first.
enum class SquareKind { broken, uncertified, undecided, patched, plain, no_image };

/// An entry of the legend.
struct SquareMeaning {
  SquareKind kind;
  const char* name;  ///< for style sheets
  const char* mark;  ///< precedes the number of issues
  const char* text;
  std::vector<CellStatus> statuses;  ///< cell statuses that give a square this kind
  std::string example() const;       ///< the label of an example square
};
/// Returns one of each kind, in order.
const std::vector<SquareMeaning>& square_meanings();
const SquareMeaning& meaning_of(SquareKind kind);

struct Square {
  SquareKind kind = SquareKind::no_image;
  std::size_t issues = 0;                ///< distinct ones of this kind
  std::string title;                     ///< all counts in words
  std::optional<EvidenceLevel> level{};  ///< of our runs
  /// Returns "x2", "u1", "?3", "5", "0" or "-", followed by the level's mark.
  std::string label() const;
};

/// Rows by release, columns by board, as in the report.
using HeatMap = std::vector<std::vector<Square>>;
HeatMap make_heat_map(const CheckReport& report);

/// Returns the length of the longest name.
std::size_t longest(const std::vector<std::string>& names);

// The heat map as an HTML table.

/// Returns the map, with the names of its rows and columns, in a scrollable box. `has_links`: the names link to
/// releases/NAME.html and boards/NAME.html.
std::string heat_map_table(const std::vector<std::string>& releases, const std::vector<std::string>& boards,
                           const HeatMap& map, bool has_links = false);
/// Returns a list of the kinds of squares in the map, with their meaning.
std::string heat_map_legend(const HeatMap& map);
/// Returns the style sheet for both, which needs page_style().
std::string heat_map_css();

}  // namespace torchpatch::report
