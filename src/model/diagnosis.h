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

/// Where a line comes from: a program that runs or imports, a build, or nobody can tell.
enum class Origin { unknown, run, build };
NAMES(Origin, unknown, run, build)

/// An issue that a log tells of.
struct Match {
  const Issue* issue = nullptr;  ///< owned by the catalog
  Confidence confidence = Confidence::possible;
  std::string symptom;     ///< the issue's text that fits best
  std::string line;        ///< of the log as it stands there, without colours
  std::size_t number = 0;  ///< of the line, from 1
  std::int64_t score = 0;  ///< in thousandths
  Origin origin = Origin::unknown;
  /// What the plan of the named release and board says of it; absent where none is named.
  std::optional<IssueDecision> decision{};
  std::string package{};    ///< of the image or of Debian that has the library which the line misses, or empty
  bool is_refuted = false;  ///< it cannot be of the named release or board
  std::vector<const Fix*> remedies{};  ///< of the issue: the fix that is used, else those that may help
};
FIELDS(Match, ("issue", derived([&] { return self.issue->id; })), ("title", derived([&] { return self.issue->title; })),
       confidence, symptom, line, number, origin, ("package", self.package, kNullIfNothing),
       ("status", derived([&] { return self.decision ? std::optional(self.decision->status) : std::nullopt; })),
       ("fix", derived([&] { return self.decision ? self.decision->fix : std::string(); }), kNullIfNothing))

/// A line of a log.
struct LoggedLine {
  std::string line;  ///< as it stands there, without colours
  std::size_t number = 0;
};
FIELDS(LoggedLine, line, number)

struct Diagnosis {
  std::vector<Match> matches{};             ///< best first
  std::optional<LoggedLine> unanswered{};   ///< the last error, if no known issue matches it
  Facts proven{};                           ///< what the text says of the build
  std::string release{}, board{}, image{};  ///< what it was judged for, or empty
  bool is_tree = false;                     ///< of a prepared tree: what `applied` says is in it
  bool is_image_assumed = false;            ///< nobody named the image, and the board has others
};
FIELDS(Diagnosis, ("schema", SchemaVersion{}), ("release", self.release, kNullIfNothing),
       ("board", self.board, kNullIfNothing), ("image", self.image, kNullIfNothing), matches, unanswered)

}  // namespace torchpatch
