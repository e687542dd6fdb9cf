// SPDX-License-Identifier: BSD-3-Clause
#include "model/check.h"

namespace torchpatch {

const std::vector<CellStatus>& cell_statuses() {
  static const std::vector<CellStatus> statuses = {
      CellStatus::applied,     CellStatus::environment,  CellStatus::files,
      CellStatus::advice,      CellStatus::not_affected, CellStatus::fixed_upstream,
      CellStatus::uncertified, CellStatus::broken,       CellStatus::undecided};
  return statuses;
}

const char* cell_status_name(CellStatus status) {
  switch (status) {
    case CellStatus::applied:
      return "applied";
    case CellStatus::environment:
      return "environment";
    case CellStatus::files:
      return "files";
    case CellStatus::advice:
      return "advice";
    case CellStatus::not_affected:
      return "not_affected";
    case CellStatus::fixed_upstream:
      return "fixed_upstream";
    case CellStatus::uncertified:
      return "uncertified";
    case CellStatus::broken:
      return "broken";
    case CellStatus::undecided:
      return "undecided";
  }
  return "";
}

std::map<CellStatus, std::size_t> count_cells(const CheckReport& report) {
  std::map<CellStatus, std::size_t> counts;
  for (const CellStatus status : cell_statuses()) counts[status] = 0;
  for (const CheckCell& cell : report.cells) ++counts[cell.status];
  return counts;
}

}  // namespace torchpatch
