// SPDX-License-Identifier: BSD-3-Clause
/// What diagnose found in a log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/issue.h"
#include "model/plan.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

enum class Confidence { match, possible };
NAMES(Confidence, match, possible)

/// An issue that a log tells of.
struct Match {
  const Issue* issue = nullptr;  ///< owned by the catalog
  Confidence confidence = Confidence::possible;
  std::string symptom;     ///< the issue's text that fits best
  std::string line;        ///< of the log, without colours
  std::size_t number = 0;  ///< of the line, from 1
  std::int64_t score = 0;  ///< in thousandths
  /// What the plan of the named release and board says of it; absent where none is named.
  std::optional<IssueDecision> decision{};
  std::vector<const Fix*> remedies{};  ///< of the issue: the fix that is used, else those that may help
};
FIELDS(Match, ("issue", derived([&] { return self.issue->id; })), ("title", derived([&] { return self.issue->title; })),
       confidence, symptom, line, number,
       ("status", derived([&] { return self.decision ? std::optional(self.decision->status) : std::nullopt; })),
       ("fix", derived([&] { return self.decision ? self.decision->fix : std::string(); }), kNullIfNothing))

struct Diagnosis {
  std::vector<Match> matches{};             ///< best first
  std::string release{}, board{}, image{};  ///< what it was judged for, or empty
  bool is_tree = false;                     ///< of a prepared tree: what `applied` says is in it
  bool is_image_assumed = false;            ///< nobody named the image, and the board has others
};
FIELDS(Diagnosis, ("schema", SchemaVersion{}), ("release", self.release, kNullIfNothing),
       ("board", self.board, kNullIfNothing), ("image", self.image, kNullIfNothing), matches)

}  // namespace torchpatch
