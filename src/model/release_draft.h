// SPDX-License-Identifier: BSD-3-Clause
/// A release added on the basis of an older one, and what a person has to review (ReleaseDraft); upstream tags that the
/// catalog does not have (OutdatedReport).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/plan.h"
#include "model/release.h"
#include "model/repository_path.h"
#include "model/version.h"
#include "support/digest.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

/// A place cited by the previous release that no longer exists.
struct LostPlace {
  std::string name;                     ///< of a variable or a module
  std::string before;                   ///< "setup.py:12"
  std::vector<std::string> candidates;  ///< "setup.py:14: os.getenv('NAME')", most likely first
};
FIELDS(LostPlace, name, before, candidates)

/// A place whose line changed in the new release but still names the variable or module.
struct ChangedPlace {
  std::string name;
  std::string before, after;  ///< "setup.py:12"
  std::string line;           ///< its current text, trimmed
};
FIELDS(ChangedPlace, name, before, after, line)

/// A change to a submodule: "new", "gone", or "moved" (new URL).
struct SubmoduleChange {
  std::string change;
  std::string repository;     ///< "torch:third_party/fmt"
  std::string before, after;  ///< URLs; empty if there is none
  std::string found{};        ///< for a new one: the copy that has its commit; empty: none has
};
FIELDS(SubmoduleChange, change, repository, ("before", self.before, kNullIfNothing),
       ("after", self.after, kNullIfNothing), ("found", self.found, kNullIfNothing))

/// A licence file that is new, gone or changed.
struct LicenceChange {
  std::string change;  ///< "new", "gone", "changed"
  std::string file;    ///< "torch:third_party/fmt/LICENSE.rst"
};
FIELDS(LicenceChange, change, file)

/// A changed decision on an issue, and the boards concerned.
struct PlanChange {
  IssueDecision before, after;
  std::vector<std::string> boards;
};

/// A file of a companion that lists which of its versions belongs to which torch.
struct CompanionTable {
  std::string repository;  ///< an available repository
  ObjectId commit;
  std::string file;  ///< "README.rst"
};
FIELDS(CompanionTable, repository, commit, file)

/// Pages of the issues that affect a release.
struct PagesAtRelease {
  std::size_t affecting = 0;
  std::size_t cited = 0;              ///< those that cite an older release
  std::vector<WrongCitation> doubts;  ///< citations of an older release that do not hold in this one
};
FIELDS(PagesAtRelease, affecting, cited, doubts)

/// The pin of a component, and its origin.
struct NewPin {
  Component component = Component::torch;
  std::string version{};
  std::string tag{};
  ObjectId commit{};
  std::vector<std::string> asked{};       ///< repositories that have the tag; empty: the commit was given
  std::optional<CompanionTable> table{};  ///< source of the version, if it was not given
};
FIELDS(NewPin, component, version, tag, commit,
       ("origin", derived([&] { return self.asked.empty() ? std::string("given") : std::string("tag"); })), asked,
       table)

/// A companion that is missing from the release, and why its version could not be determined.
struct OpenCompanion {
  Component component = Component::vision;
  std::string reason;

  /// Returns the option that sets it.
  std::string option() const { return concat("--", name_of(component), " VERSION[=ID]"); }
};
FIELDS(OpenCompanion, component, reason, ("option", derived([&] { return self.option(); })))

struct ReleaseDraft {
  Release release;
  std::vector<NewPin> pins;
  std::vector<OpenCompanion> open;
  std::string like;                           ///< the release it is based on
  std::string file;                           ///< the file written
  bool is_written = true;                     ///< false: it existed already
  bool is_edited = false;                     ///< it existed with the same pins, but with other differences
  std::size_t moved = 0;                      ///< number of places carried over
  std::vector<ChangedPlace> changed;          ///< of these, places whose line changed
  std::vector<LostPlace> lost;                ///< places not carried over
  std::size_t cited = 0;                      ///< number of citations and absences carried over
  std::vector<WrongCitation> lost_citations;  ///< those not carried over
  std::vector<std::string> notes;             ///< of the previous release, not carried over
  std::vector<std::string> first;             ///< variables first named in these sources: "NAME at FILE:LINE: the line"
  std::vector<std::string> contents{};        ///< for each pin by content: what it is, and what it lacks
  std::vector<SubmoduleChange> submodules;
  std::vector<LicenceChange> licences;
  std::vector<std::string> missing;    ///< files and submodules that the pins need and no source has
  std::vector<PlanChange> plans;       ///< decisions that are worse than for the previous release
  std::vector<std::string> to_port{};  ///< patchsets that port does not find by itself
  PagesAtRelease pages;
};

// outdated: tags and pins.

/// A tag that no release of the catalog pins.
struct NewTag {
  Version version;
  std::string tag;
  ObjectId commit;
  std::optional<std::int64_t> time;  ///< of the commit, seconds since 1970, if known
};
FIELDS(NewTag, version, tag, commit, ("pre", derived([&] { return self.version.is_pre_release(); })),
       ("date", derived([&] { return self.time ? std::optional(day_text(*self.time)) : std::nullopt; })))

/// A pin whose tag names another commit, or no longer exists.
struct StrayPin {
  std::string version;  ///< of the component
  std::string tag;
  ObjectId pinned;
  std::optional<ObjectId> found;
};
FIELDS(StrayPin, version, tag, pinned, ("found", self.found, kOptional))

struct ComponentNews {
  Component component = Component::torch;
  std::string url;                 ///< as in the catalog
  std::vector<std::string> asked;  ///< the URL or repositories that were queried
  std::string problem;             ///< why nothing is known, or empty
  std::vector<NewTag> news;        ///< by version
  std::vector<StrayPin> moved;
  std::vector<StrayPin> missing;  ///< tags that do not exist; not reported for copies

  bool has_news() const { return !news.empty() || !moved.empty() || !missing.empty(); }
};
FIELDS(ComponentNews, component, url, asked, ("problem", self.problem, kNullIfNothing), ("new", self.news), moved,
       ("missing_tags", self.missing))

struct OutdatedReport {
  std::vector<ComponentNews> components;
};
FIELDS(OutdatedReport, ("schema", SchemaVersion{}), components)

}  // namespace torchpatch
