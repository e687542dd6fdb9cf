// SPDX-License-Identifier: BSD-3-Clause
/// The heat map as a table of a page (internal).
#pragma once

#include <string>
#include <vector>

#include "emit/check/heat_map.h"

namespace torchpatch::emit {

/// Where the names at the edges of the map lead: prefix + name + ".html". Empty: nowhere.
struct HeatMapLinks {
  std::string releases;
  std::string boards;
};

/// Returns the map, with the names of its rows and columns, in a box that scrolls.
std::string heat_map_table(const std::vector<std::string>& releases, const std::vector<std::string>& boards,
                           const HeatMap& map, const HeatMapLinks& links = {});
/// Returns a list: one square of each kind that the map has, and what it means.
std::string heat_map_legend(const HeatMap& map);
/// Returns the style sheet of both, which needs page_style().
std::string heat_map_css();

}  // namespace torchpatch::emit
