// SPDX-License-Identifier: BSD-3-Clause
/// SiteData, the input of the documentation: the catalog, and the plans for every release, board and image.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/plan.h"

namespace torchpatch {

/// Returns a decision without the issue's id and the reason.
inline IssueDecision answer_of(const IssueDecision& decision) {
  return {
      "", decision.status, "", decision.fix, decision.fix.empty() ? FixKind::advice : decision.kind, decision.variant};
}

struct SiteData {
  static constexpr int kNoFit = -1;  ///< in answers: the image does not support the release

  const Catalog* catalog = nullptr;
  std::vector<const Release*> releases;  ///< oldest first
  std::vector<Machine> targets;          ///< by board id, then as in its file
  std::vector<IssueDecision> answers;    ///< all that occur (answer_of)
  /// Issue id → for each target, for each release, an index into `answers` or kNoFit.
  std::map<std::string, std::vector<std::vector<int>>> matrix;
  /// (release, board id) → the plan if no image is named. Decisions "not affected" are omitted.
  std::map<std::pair<Version, std::string>, Plan> plans;
  /// (release, board id) → why they do not match: one reason per image.
  std::map<std::pair<Version, std::string>, std::vector<std::string>> misfits;
};

}  // namespace torchpatch
