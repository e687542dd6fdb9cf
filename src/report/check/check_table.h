// SPDX-License-Identifier: BSD-3-Clause
/// Cells of a check that say the same, taken together for reading (internal).
#pragma once

#include <string>
#include <vector>

#include "report/check/check_report.h"

namespace torchpatch::report {

/// One issue with one reason, wherever it holds.
struct CellGroup {
  std::string issue;
  std::string reason;
  std::vector<std::string> releases;  ///< in the report's order
  std::vector<std::string> boards;    ///< in the report's order
};

/// Returns the cells of a status in groups, in the order of their first cells.
std::vector<CellGroup> group_cells(const CheckReport& report, CellStatus status);

/// Returns "1.0.0, 1.0.1" or, of more than three, "1.0.0 to 1.10.2 (21 releases)".
std::string releases_text(const CellGroup& group);
/// Returns "nano, tx2" or, of more than six, "nano and 20 other boards".
std::string boards_text(const CellGroup& group);

/// Returns the statuses that are not as they should be, with the heading of each, the gravest first.
const std::vector<std::pair<CellStatus, std::string>>& troubled_statuses();

/// Returns "checked against sources" and its like, the number of cells, and how many have which status.
std::string counts_text(const CheckReport& report);
/// Returns "without sources: …", for a report that has none; else empty text.
std::string no_sources_text(const CheckReport& report);

}  // namespace torchpatch::report
