// SPDX-License-Identifier: BSD-3-Clause
/// The heat map of check: releases × boards, each square of which sums up all images and issues (internal).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/check.h"
#include "model/matrix.h"

namespace torchpatch::report {

/// What a square tells, the gravest first.
enum class SquareKind { broken, uncertified, undecided, patched, plain, no_image };

/// An entry of the legend.
struct SquareMeaning {
  SquareKind kind;
  const char* name;  ///< for style sheets
  const char* mark;  ///< stands before the number of issues
  const char* text;
  std::vector<CellStatus> statuses;  ///< of the cells that make a square one of these
  std::string example() const;       ///< the label of one such square
};
/// One of each kind, in their order.
const std::vector<SquareMeaning>& square_meanings();
const SquareMeaning& meaning_of(SquareKind kind);

struct Square {
  SquareKind kind = SquareKind::no_image;
  std::size_t issues = 0;                ///< distinct ones of this kind
  std::string title;                     ///< all counts, in words
  std::optional<EvidenceLevel> level{};  ///< of what was run
  /// Returns "x2", "u1", "?3", "5", "0" or "-", and a mark of the level behind it.
  std::string label() const;
};

/// Rows by release, columns by board, as in the report.
using HeatMap = std::vector<std::vector<Square>>;
HeatMap make_heat_map(const CheckReport& report);

/// Returns the length of the longest name.
std::size_t longest(const std::vector<std::string>& names);

// The heat map as a table of a page.

/// Returns the map, with the names of its rows and columns, in a box that scrolls. `has_links`: the names lead to
/// releases/NAME.html and boards/NAME.html.
std::string heat_map_table(const std::vector<std::string>& releases, const std::vector<std::string>& boards,
                           const HeatMap& map, bool has_links = false);
/// Returns a list: one square of each kind that the map has, and what it means.
std::string heat_map_legend(const HeatMap& map);
/// Returns the style sheet of both, which needs page_style().
std::string heat_map_css();

}  // namespace torchpatch::report
