// SPDX-License-Identifier: BSD-3-Clause
/// At which shown line each thing to look at stands (internal).
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "emit/audit/audit_report.h"

namespace torchpatch::emit {

struct RiskPlaces {
  /// (hunk, line in it) → what there is to look at.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<const AuditRisk*>> at_lines;
  std::vector<const AuditRisk*> of_file;  ///< for the whole file, or for a line that is not shown
};

/// Returns the risks of a patch that are of this file; both must outlive the result.
RiskPlaces place_risks(const AuditPatch& patch, const AuditFile& file);

}  // namespace torchpatch::emit
