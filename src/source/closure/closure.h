// SPDX-License-Identifier: BSD-3-Clause
/// The closure of a release: every repository, file and submodule that follows from its pinned commits, found by
/// walking gitlinks; ids alone decide it. read_closure() reads one, survey_closures() looks for what many lack,
/// check_tags() compares the tags.
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

/// Gives each of `submodules` that an override is for its commit and URL; returns their paths. Raises patch if the
/// gitlink names another commit than the override replaces, unsafe if its URL is refused.
std::set<RepositoryPath> take_overrides(const std::vector<SubmoduleOverride>& overrides,
                                        const std::vector<MovedRepository>& moved,
                                        std::vector<PinnedRepository>& submodules);

struct ClosureRepository {
  RepositoryPath path;
  std::string url;  ///< recorded; a relative one resolved against the recorded parent's
  ObjectId commit;
  std::string raw_commit;  ///< content of the commit object
  ObjectId tree;
  std::int64_t time = 0;  ///< committer time
  int store = -1;         ///< folder where the commit was found
  ObjectId gitlink;  ///< what the repository around it names: `commit`, but for an override. Of a component: `commit`
};

/// A file or link of the pinned trees.
struct ClosureFile {
  int repository = 0;                 ///< index into Closure::repositories
  std::string path;                   ///< in its repository
  FileMode mode = FileMode::regular;  ///< regular, executable or link
  ObjectId blob;
};

struct Closure {
  std::vector<ClosureRepository> repositories;  ///< sorted by path
  std::vector<ClosureFile> files;               ///< sorted by (repository, path); without the gaps
  std::vector<ClosureGap> gaps;                 ///< sorted by (repository, path); none unless they are allowed
  std::uint64_t bytes = 0;                      ///< of the files, as the folders that they are read from declare
  std::vector<std::string> notes;               ///< of the content as well: what nobody can act on
};

enum class Gaps {
  refused,
  allowed,
  surveyed,  ///< a submodule whose URL is refused is one, too: for those who write no tree
};

/// Walks the pins of `components` through `source`, level by level, reading in worker processes. Raises source with
/// every missing pin at once (path, URL, commit, why, where else it is known to live); unsafe for paths, modes, URLs or
/// .gitmodules that the rules refuse, for a gitlink without an entry in .gitmodules, and for limits: 16 levels, 1000
/// repositories, 1,000,000 entries. An entry without a gitlink is a note of the result, names that differ only in case
/// are warnings; damaged repositories are warnings on `console`.
///
/// A missing commit is asked for (bring) at its recorded URL, then at those of `moved`. With the first one that is
/// missing, what is recorded of the components' submodules is asked for as well, as hints: at URLs of the server that
/// its component comes from, and those of `moved`; what comes of it has no effect but that it is there. A URL out of
/// .gitmodules is only fetched from where it is https, or of the scheme, host and port of the repository that names it,
/// or where the user put another in its place (UrlMap); the catalog's are taken as they are.
///
/// `gaps` allowed: files whose blobs nobody has, and submodules of which nobody has a file, are left out and listed,
/// but for .gitmodules, the components themselves and submodules with an override.
///
/// A submodule that one of `overrides` is for is read at its commit and with its URL; what lies in it is then walked to
/// from there. Raises patch where the gitlink is not the commit that the override replaces, and where there is no such
/// submodule.
Closure read_closure(const Release& release, const std::vector<Component>& components,
                     const std::vector<SubmoduleOverride>& overrides, const std::vector<MovedRepository>& moved,
                     ObjectSource& source, int jobs, Console& console, Gaps gaps = Gaps::refused);

/// Returns the submodules of each component that has some, as ComponentPin::submodules has them.
std::map<Component, std::set<SubmodulePin>> submodule_pins(const Closure& closure);

/// A commit of a release's closure that no folder has whole.
struct IncompleteCommit {
  std::size_t release = 0;  ///< index into the releases
  MissingPin pin;
  bool has_commit = false;  ///< only files of it are in no folder
};

/// What closures lack, and what is in them.
struct ClosureSurvey {
  std::vector<IncompleteCommit> incomplete;                             ///< what read_closure() would miss, by release
  std::vector<std::map<Component, std::set<SubmodulePin>>> submodules;  ///< of each release, that are not missing
};

/// Walks the closures of releases, without overrides, as far as the folders of `source` go: nothing is brought; each
/// commit is read once, whichever releases have it. Raises otherwise as read_closure().
ClosureSurvey survey_closures(const std::vector<const Release*>& releases, const std::vector<MovedRepository>& moved,
                              const ObjectSource& source, int jobs, Console& console);

/// Returns a warning for each component whose tag, in the repository its commit was read from, names another commit or
/// cannot be looked up. `strict`: raises source instead.
std::vector<std::string> check_tags(const Release& release, const Closure& closure, const ObjectSource& source,
                                    bool strict);

}  // namespace torchpatch::source
