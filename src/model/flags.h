// SPDX-License-Identifier: BSD-3-Clause
/// flags: facts about build variables (FlagFact), and mistakes in those that a build script sets (FlagFinding).
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

/// How a variable gets from the environment to the build.
enum class FlagMechanism {
  environment,  ///< Python code of torch's build reads the environment
  forwarded,    ///< setup.py passes it to CMake as -DNAME=VALUE, or a CMake module sets it from the environment
  cmake,        ///< CMake reads the environment
  vision,       ///< torchvision's build reads it
  audio,        ///< torchaudio's build reads it
};
NAMES(FlagMechanism, environment, forwarded, cmake, vision, audio)

/// A variable in a release.
struct FlagFact {
  std::string name;
  std::string read_at;                                   ///< file:line, or empty
  FlagMechanism mechanism = FlagMechanism::environment;  ///< where it is read
  std::string unread;                                    ///< why it is known to be unread, or empty
  std::string since, until;            ///< the first and last release that reads it; empty: none known
  std::string releases;                ///< all of them: "1.0.0 to 1.4.1 and 2.0.0"
  std::vector<std::string> instead{};  ///< of an unread variable: what this release reads instead
  std::vector<std::string> near{};     ///< of an unknown name: names it may be a misspelling of
};
FIELDS(FlagFact, name,
       ("reading", derived([&] {
          return std::string(!self.read_at.empty() ? "read" : self.unread.empty() ? "unknown" : "unread");
        })),
       ("read_at", self.read_at, kNullIfNothing),
       ("mechanism", derived([&] { return self.read_at.empty() ? std::nullopt : std::optional(self.mechanism); })),
       ("unread", self.unread, kNullIfNothing), ("since", self.since, kNullIfNothing),
       ("until", self.until, kNullIfNothing), ("releases", self.releases, kNullIfNothing), instead, near)

struct FlagsReport {
  std::string release;
  std::vector<FlagFact> flags;
};
FIELDS(FlagsReport, ("schema", SchemaVersion{}), release, flags)

enum class FlagProblem {
  unread,        ///< this release does not read it
  renamed,       ///< it reads another name instead
  misspelt,      ///< unknown; a known name is similar
  overridden,    ///< set again before anything ran, or by the plan
  not_exported,  ///< not passed to any command
  lost           ///< the shell that has it exits before the build
};
NAMES(FlagProblem, unread, renamed, misspelt, overridden, not_exported, lost)

/// An assignment in a build script that does not have its apparent effect.
struct FlagFinding {
  std::size_t line = 0;  ///< from 1
  std::string name, value;
  FlagProblem problem = FlagProblem::unread;
  std::string why;
  std::string fix;                     ///< what to do: "remove it"
  std::vector<std::string> instead{};  ///< names to use instead, nearest first
};
FIELDS(FlagFinding, line, name, value, problem, why, fix, instead)

/// A part of a script that was not understood and is therefore not judged.
struct SkippedPart {
  std::size_t line = 0;  ///< where it begins, from 1
  std::string what;      ///< "a here-document"
};
FIELDS(SkippedPart, line, what)

struct FlagCheckReport {
  std::string release, file;
  std::string board;                    ///< whose plan was compared, or empty
  std::size_t assignments = 0;          ///< number checked
  std::vector<FlagFinding> findings;    ///< by line
  std::vector<SkippedPart> skipped{};   ///< by line
  std::vector<PlannedSetting> unset{};  ///< set by the board's plan, but not by the script, which builds torch
};
FIELDS(FlagCheckReport, ("schema", SchemaVersion{}), ("ok", derived([&] { return self.findings.empty(); })), release,
       file, ("board", self.board, kNullIfNothing), assignments, findings, skipped, unset)

}  // namespace torchpatch
