// SPDX-License-Identifier: BSD-3-Clause
/// A release that is added by an older one, and what a person has to review (ReleaseDraft); what upstream's tags list
/// that the catalog does not have (OutdatedReport).
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

/// A place that the release before cites, and that is not there any more.
struct LostPlace {
  std::string name;                     ///< of a variable or a module
  std::string before;                   ///< "setup.py:12"
  std::vector<std::string> candidates;  ///< "setup.py:14: os.getenv('NAME')", the likeliest first
};
FIELDS(LostPlace, name, before, candidates)

/// A place whose line is another in the new release, and still names the variable or module.
struct ChangedPlace {
  std::string name;
  std::string before, after;  ///< "setup.py:12"
  std::string line;           ///< that stands there now, without the space around it
};
FIELDS(ChangedPlace, name, before, after, line)

/// What became of a submodule: "new", "gone", or "moved" (its URL is another).
struct SubmoduleChange {
  std::string change;
  std::string repository;     ///< "torch:third_party/fmt"
  std::string before, after;  ///< URLs; empty where there is none
  std::string found{};        ///< of a new one: the copy that has it; empty: none has
};
FIELDS(SubmoduleChange, change, repository, ("before", self.before, kNullIfNothing),
       ("after", self.after, kNullIfNothing), ("found", self.found, kNullIfNothing))

/// A licence file that is new, gone or has another content.
struct LicenceChange {
  std::string change;  ///< "new", "gone", "changed"
  std::string file;    ///< "torch:third_party/fmt/LICENSE.rst"
};
FIELDS(LicenceChange, change, file)

/// What becomes of an issue on some boards, as it was and as it is now.
struct PlanChange {
  IssueDecision before, after;
  std::vector<std::string> boards;
};

/// A file of a companion that says which version of it goes with a torch.
struct CompanionTable {
  std::string repository;  ///< that is available
  ObjectId commit;
  std::string file;  ///< "README.rst"
};
FIELDS(CompanionTable, repository, commit, file)

/// The pages of the issues that affect a release.
struct PagesAtRelease {
  std::size_t affecting = 0;
  std::size_t cited = 0;              ///< of these, those that cite an older release
  std::vector<WrongCitation> doubts;  ///< of an older release, and not so in this one
};
FIELDS(PagesAtRelease, affecting, cited, doubts)

/// The pin of a component, and where it comes from.
struct NewPin {
  Component component = Component::torch;
  std::string version{};
  std::string tag{};
  ObjectId commit{};
  std::vector<std::string> asked{};       ///< repositories whose tag it is; empty: the commit was given
  std::optional<CompanionTable> table{};  ///< that has the version, which was not given
};
FIELDS(NewPin, component, version, tag, commit,
       ("origin", derived([&] { return self.asked.empty() ? std::string("given") : std::string("tag"); })), asked,
       table)

/// A companion that the release has not, and why nobody can say which it should have.
struct OpenCompanion {
  Component component = Component::vision;
  std::string reason;

  /// Returns the option that gives it.
  std::string option() const { return concat("--", name_of(component), " VERSION[=ID]"); }
};
FIELDS(OpenCompanion, component, reason, ("option", derived([&] { return self.option(); })))

struct ReleaseDraft {
  Release release;
  std::vector<NewPin> pins;
  std::vector<OpenCompanion> open;
  std::string like;                           ///< the release it was made by
  std::string file;                           ///< that was written
  bool is_written = true;                     ///< false: it was there
  bool is_edited = false;                     ///< with the same pins, and otherwise not as it would be written
  std::size_t moved = 0;                      ///< places that were carried over
  std::vector<ChangedPlace> changed;          ///< of these, those whose line is another
  std::vector<LostPlace> lost;                ///< places that were not
  std::size_t cited = 0;                      ///< citations and absences that were carried over
  std::vector<WrongCitation> lost_citations;  ///< those that were not
  std::vector<std::string> notes;             ///< of the release before, left behind
  std::vector<std::string>
      first;  ///< variables that these sources name for the first time: "NAME at FILE:LINE: the line"
  std::vector<std::string> contents{};  ///< of each pin by content: what it is, and what it lacks
  std::vector<SubmoduleChange> submodules;
  std::vector<LicenceChange> licences;
  std::vector<std::string> missing;    ///< files and submodules that the pins need and no source has
  std::vector<PlanChange> plans;       ///< where the release is worse off than the one before
  std::vector<std::string> to_port{};  ///< patchsets that port does not find by itself
  PagesAtRelease pages;
};

// outdated: tags and pins.

/// A tag that no release of the catalog pins.
struct NewTag {
  Version version;
  std::string tag;
  ObjectId commit;
  std::optional<std::int64_t> time;  ///< of the commit, seconds since 1970, where it is known
};
FIELDS(NewTag, version, tag, commit, ("pre", derived([&] { return self.version.is_pre_release(); })),
       ("date", derived([&] { return self.time ? std::optional(day_text(*self.time)) : std::nullopt; })))

/// A pin whose tag names another commit, or is not there any more.
struct StrayPin {
  std::string version;  ///< of the component
  std::string tag;
  ObjectId pinned;
  std::optional<ObjectId> found;
};
FIELDS(StrayPin, version, tag, pinned, ("found", self.found, kOptional))

struct ComponentNews {
  Component component = Component::torch;
  std::string url;                 ///< as the catalog has it
  std::vector<std::string> asked;  ///< the URL that was asked, or the repositories that were looked at
  std::string problem;             ///< why nothing is known, or empty
  std::vector<NewTag> news;        ///< by version
  std::vector<StrayPin> moved;
  std::vector<StrayPin> missing;  ///< their tags are not there; of copies nothing is said

  bool has_news() const { return !news.empty() || !moved.empty() || !missing.empty(); }
};
FIELDS(ComponentNews, component, url, asked, ("problem", self.problem, kNullIfNothing), ("new", self.news), moved,
       ("missing_tags", self.missing))

struct OutdatedReport {
  std::vector<ComponentNews> components;
};
FIELDS(OutdatedReport, ("schema", SchemaVersion{}), components)

}  // namespace torchpatch
