// SPDX-License-Identifier: BSD-3-Clause
/// The heat map as a table of a page (internal).
#pragma once

#include <string>

#include "emit/check/check_report.h"

namespace torchpatch::emit {

/// Where the names at the edges of the map lead: prefix + name + ".html". Empty: nowhere.
struct HeatMapLinks {
  std::string releases;
  std::string boards;
};

/// Returns the map in a box that scrolls; empty text for a report without cells.
std::string heat_map_table(const CheckReport& report, const HeatMapLinks& links = {});
/// Returns a list: one square of each kind, and what it means.
std::string heat_map_legend();
/// Returns the style sheet of both, which needs page_style().
std::string heat_map_css();

}  // namespace torchpatch::emit
