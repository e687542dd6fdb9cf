// SPDX-License-Identifier: BSD-3-Clause
/// Diagnosis: the known issues that diagnose found in a log.
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

/// What printed a line: a program that runs or imports, a build, or unknown.
enum class Origin { unknown, run, build };
NAMES(Origin, unknown, run, build)

/// A known issue that matches a log.
struct Match {
  const Issue* issue = nullptr;  ///< owned by the catalog
  Confidence confidence = Confidence::possible;
  std::string symptom;     ///< the issue's text that matches best
  std::string line;        ///< as in the log, without colours
  std::size_t number = 0;  ///< 1-based line number
  std::int64_t score = 0;  ///< in thousandths
  Origin origin = Origin::unknown;
  /// The plan's decision for the named release and board; absent if none is named.
  std::optional<IssueDecision> decision{};
  std::string package{};               ///< package of the image or of Debian with the missing library, or empty
  bool is_refuted = false;             ///< it is impossible with the named release or board
  std::vector<const Fix*> remedies{};  ///< the issue's fix in use, else those that may help
};
FIELDS(Match, ("issue", derived([&] { return self.issue->id; })), ("title", derived([&] { return self.issue->title; })),
       confidence, symptom, line, number, origin, ("package", self.package, kNullIfNothing),
       ("status", derived([&] { return self.decision ? std::optional(self.decision->status) : std::nullopt; })),
       ("fix", derived([&] { return self.decision ? self.decision->fix : std::string(); }), kNullIfNothing))

/// A line of a log.
struct LoggedLine {
  std::string line;  ///< as in the log, without colours
  std::size_t number = 0;
};
FIELDS(LoggedLine, line, number)

struct Diagnosis {
  std::vector<Match> matches{};             ///< best first
  std::optional<LoggedLine> unanswered{};   ///< the last error, if no known issue matches it
  Facts proven{};                           ///< facts about the build, from the text
  std::string release{}, board{}, image{};  ///< that it was judged for, or empty
  bool is_tree = false;                     ///< of a prepared tree, which contains what is `applied`
  bool is_image_assumed = false;            ///< no image was named, and the board has several
};
FIELDS(Diagnosis, ("schema", SchemaVersion{}), ("release", self.release, kNullIfNothing),
       ("board", self.board, kNullIfNothing), ("image", self.image, kNullIfNothing), matches, unanswered)

}  // namespace torchpatch
