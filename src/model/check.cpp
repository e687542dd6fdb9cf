// SPDX-License-Identifier: BSD-3-Clause
#include "model/check.h"

namespace torchpatch {

std::map<CellStatus, std::size_t> count_cells(const CheckReport& report) {
  std::map<CellStatus, std::size_t> counts;
  for (const auto& [status, name] : kNamesOf<CellStatus>) counts[status] = 0;
  for (const CheckCell& cell : report.cells) ++counts[cell.status];
  return counts;
}

}  // namespace torchpatch
