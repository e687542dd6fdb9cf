// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/risk_places.h"

#include <optional>

namespace torchpatch::emit {

namespace {

/// A risk's line is one of the new file, of a removal one of the old: changed lines go before unchanged ones.
std::optional<std::pair<std::size_t, std::size_t>> find_line(const AuditFile& file, std::uint32_t number) {
  for (const char kind : {'+', '-', ' '}) {
    for (std::size_t hunk = 0; hunk < file.hunks.size(); ++hunk) {
      for (std::size_t i = 0; i < file.hunks[hunk].size(); ++i) {
        const AuditLine& line = file.hunks[hunk][i];
        if (line.kind == kind && (kind == '-' ? line.before : line.after) == number) return std::pair(hunk, i);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

RiskPlaces place_risks(const AuditPatch& patch, const AuditFile& file) {
  RiskPlaces places;
  for (const AuditRisk& risk : patch.risks) {
    if (risk.path != file.path) continue;
    const auto place = risk.line > 0 ? find_line(file, risk.line) : std::nullopt;
    if (place) {
      places.at_lines[*place].push_back(&risk);
    } else {
      places.of_file.push_back(&risk);
    }
  }
  return places;
}

}  // namespace torchpatch::emit
