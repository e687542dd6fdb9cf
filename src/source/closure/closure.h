// SPDX-License-Identifier: BSD-3-Clause
/// The closure of a release: every repository, file and submodule that follows from its pinned commits, found by
/// walking gitlinks; only ids decide. read_closure() reads one, survey_closures() finds what many lack, check_tags()
/// compares tags.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/path_rule.h"
#include "model/release.h"
#include "model/repository_path.h"
#include "source/closure/object_source.h"
#include "source/closure/repository_tree.h"
#include "support/console.h"

namespace torchpatch::source {

/// Changes each of `submodules` that has an override to its commit and URL; returns their paths. Raises patch if the
/// gitlink is not the commit that the override replaces, unsafe if its URL is refused.
std::set<RepositoryPath> take_overrides(const std::vector<SubmoduleOverride>& overrides,
                                        const std::vector<MovedRepository>& moved,
                                        std::vector<PinnedRepository>& submodules);

struct ClosureRepository {
  RepositoryPath path;
  std::string url;  ///< as recorded; relative URLs resolved against the recorded parent's
  ObjectId commit;
  std::string raw_commit;  ///< content of the commit object
  ObjectId tree;
  std::int64_t time = 0;  ///< committer time
  int store = -1;         ///< folder where the commit was found
  ObjectId gitlink;       ///< the commit in the parent's tree: `commit`, unless overridden; for a component, `commit`
};

/// A file or link of a pinned tree.
struct ClosureFile {
  int repository = 0;                 ///< index into Closure::repositories
  std::string path;                   ///< in its repository
  FileMode mode = FileMode::regular;  ///< regular, executable or link
  ObjectId blob;
};

struct Closure {
  std::vector<ClosureRepository> repositories;  ///< sorted by path
  std::vector<ClosureFile> files;               ///< sorted by (repository, path); excludes gaps
  std::vector<ClosureGap> gaps;                 ///< sorted by (repository, path); empty unless gaps are allowed
  std::uint64_t bytes = 0;                      ///< of the files, as declared by the folders they are read from
  std::vector<std::string> notes;               ///< for information, also on content: nobody can act on them
};

enum class Gaps {
  never,  ///< refused, by a command without --allow-partial
  refused,
  allowed,
  surveyed,  ///< also submodules whose URL is refused: for callers that write no tree
};

/// Walks the pins of `components` through `source`, level by level, in worker processes. Raises source with all missing
/// pins at once (path, URL, commit, reason, other known locations); unsafe for paths, modes, URLs or .gitmodules that
/// the rules refuse, for a gitlink without an entry in .gitmodules, and for limits: 16 levels, 1000 repositories,
/// 1,000,000 entries. An entry without a gitlink is a note in the result; names that differ only in case, and damaged
/// repositories, are warnings on `console`.
///
/// A missing commit is requested (bring) at its recorded URL, then at those in `moved`. With the first missing commit,
/// the recorded submodules of the components are requested too, as hints: at URLs on their component's server and those
/// in `moved`; they have no effect other than being available. A URL from .gitmodules is only fetched from if it is
/// https, or has the scheme, host and port of the repository that contains it, or if the user maps it (UrlMap); the
/// catalog's URLs are used unchanged.
///
/// With `gaps` allowed, files whose blobs are not available, and submodules of which no file is, are left out and
/// listed, except .gitmodules, the components themselves and overridden submodules.
///
/// A submodule in `overrides` is read at the override's commit and URL, and the walk continues from there. Raises patch
/// if the gitlink is not the commit that the override replaces, or if there is no such submodule.
Closure read_closure(const Release& release, const std::vector<Component>& components,
                     const std::vector<SubmoduleOverride>& overrides, const std::vector<MovedRepository>& moved,
                     ObjectSource& source, int jobs, Console& console, Gaps gaps = Gaps::refused);

/// Returns each component's submodules, if it has any, for ComponentPin::submodules.
std::map<Component, std::set<SubmodulePin>> submodule_pins(const Closure& closure);

/// A commit of a release's closure that no folder has completely.
struct IncompleteCommit {
  std::size_t release = 0;  ///< index into the releases
  MissingPin pin;
  bool has_commit = false;  ///< only some of its files are missing
};

/// What closures lack and contain.
struct ClosureSurvey {
  std::vector<IncompleteCommit> incomplete;                             ///< missing commits, by release
  std::vector<std::map<Component, std::set<SubmodulePin>>> submodules;  ///< of each release, those not missing
};

/// Walks the closures of releases, without overrides, using only the folders of `source`: nothing is brought. Each
/// commit is read once, whichever releases have it. Otherwise raises as read_closure().
ClosureSurvey survey_closures(const std::vector<const Release*>& releases, const std::vector<MovedRepository>& moved,
                              const ObjectSource& source, int jobs, Console& console);

/// Returns a warning for each component whose tag, in the repository its commit was read from, names another commit or
/// cannot be looked up. If `strict`, raises source instead.
std::vector<std::string> check_tags(const Release& release, const Closure& closure, const ObjectSource& source,
                                    bool strict);

}  // namespace torchpatch::source
