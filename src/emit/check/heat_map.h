// SPDX-License-Identifier: BSD-3-Clause
/// Releases × boards at a glance: each square sums up all images and issues (internal).
#pragma once

#include <string>
#include <vector>

#include "emit/check/check_report.h"

namespace torchpatch::emit {

/// What a square tells, the gravest first.
enum class SquareKind { broken, uncertified, undecided, patched, plain, no_image };
const std::vector<SquareKind>& square_kinds();

/// Returns the name of a kind for style sheets: "broken", …, "no-image".
const char* square_class(SquareKind kind);
/// An entry of the legend: the label of one such square, and what it means.
struct SquareMeaning {
  const char* example = "";
  const char* text = "";
};
SquareMeaning square_meaning(SquareKind kind);

struct Square {
  SquareKind kind = SquareKind::no_image;
  std::size_t issues =
      0;              ///< distinct ones of this kind: broken, uncertified, undecided, or answered by a patch or files
  std::string title;  ///< all counts, in words
  /// Returns "x2", "u1", "?3", "5", "0" or "-".
  std::string label() const;
};

/// Rows by release, columns by board, as in the report.
using HeatMap = std::vector<std::vector<Square>>;
HeatMap make_heat_map(const CheckReport& report);

}  // namespace torchpatch::emit
