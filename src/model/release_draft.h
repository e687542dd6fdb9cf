// SPDX-License-Identifier: BSD-3-Clause
/// A release that is added by an older one, and what a person has to look at.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/plan.h"
#include "model/release.h"
#include "support/fields.h"

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

/// What the release before cites, and the new one has not.
struct LostCitation {
  std::string place, words;  ///< as in Citation
  std::string found;         ///< what is there instead, or empty: nothing is
};
FIELDS(LostCitation, place, words, found)

/// What became of a submodule: "new", "gone", or "moved" (its URL is another).
struct SubmoduleChange {
  std::string change;
  std::string repository;     ///< "torch:third_party/fmt"
  std::string before, after;  ///< URLs; empty where there is none
  std::string found{};        ///< of a new one: the copy that has it; empty: none has
};

/// A licence file that is new, gone or has another content.
struct LicenceChange {
  std::string change;  ///< "new", "gone", "changed"
  std::string file;    ///< "torch:third_party/fmt/LICENSE.rst"
};

/// What becomes of an issue on some boards, as it was and as it is now.
struct PlanChange {
  IssueDecision before, after;
  std::vector<std::string> boards;
};

/// A file of a companion that says which version of it goes with a torch.
struct CompanionTable {
  std::string repository;  ///< at hand
  ObjectId commit;
  std::string file;  ///< "README.rst"
};

/// What a page of a known issue cites of an older release, and does not hold for this one.
struct PageDoubt {
  std::string issue;
  std::string release;  ///< that it cites
  std::string place;    ///< "setup.py:12", of an absence "setup.py"
  std::string words;    ///< that the line had, of an absence that none had
  std::string found;
};
FIELDS(PageDoubt, issue, release, place, words, found)

/// The pages of the issues that affect a release.
struct PagesAtRelease {
  std::size_t affecting = 0;
  std::size_t cited = 0;  ///< of these, those that cite an older release
  std::vector<PageDoubt> doubts;
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

/// A companion that the release has not, and why nobody can say which it should have.
struct OpenCompanion {
  Component component = Component::vision;
  std::string reason;
};

struct ReleaseDraft {
  Release release;
  std::vector<NewPin> pins;
  std::vector<OpenCompanion> open;
  std::string like;                          ///< the release it was made by
  std::string file;                          ///< that was written
  bool is_written = true;                    ///< false: it was there
  bool is_edited = false;                    ///< with the same pins, and otherwise not as it would be written
  std::size_t moved = 0;                     ///< places that were carried over
  std::vector<ChangedPlace> changed;         ///< of these, those whose line is another
  std::vector<LostPlace> lost;               ///< places that were not
  std::size_t cited = 0;                     ///< citations and absences that were carried over
  std::vector<LostCitation> lost_citations;  ///< those that were not
  std::vector<std::string> notes;            ///< of the release before, left behind
  std::vector<std::string>
      first;  ///< variables that these sources name for the first time: "NAME at FILE:LINE: the line"
  std::vector<SubmoduleChange> submodules;
  std::vector<LicenceChange> licences;
  std::vector<std::string> missing;  ///< files and submodules of the pins that are nowhere
  std::vector<PlanChange> plans;     ///< where the release is worse off than the one before
  PagesAtRelease pages;
};

}  // namespace torchpatch
