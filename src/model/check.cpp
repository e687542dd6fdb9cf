// SPDX-License-Identifier: BSD-3-Clause
#include "model/check.h"

#include "support/text.h"

namespace torchpatch {

std::map<CellStatus, std::size_t> count_cells(const CheckReport& report) {
  std::map<CellStatus, std::size_t> counts;
  for (const auto& [status, name] : kNamesOf<CellStatus>) counts[status] = 0;
  for (const CheckCell& cell : report.cells) ++counts[cell.status];
  return counts;
}

std::string WrongCitation::text() const {
  return concat(file, ": ", words.empty() ? "" : concat(quote(words), " at "), place, " of ", release, ": ", found);
}

}  // namespace torchpatch
