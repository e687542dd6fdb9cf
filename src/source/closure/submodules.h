// SPDX-License-Identifier: BSD-3-Clause
/// From the gitlinks of a tree and its .gitmodules to the commits that come next, and where they may be fetched.
#pragma once

#include <string>
#include <vector>

#include "model/release.h"
#include "model/repository_path.h"
#include "source/closure/object_source.h"
#include "source/closure/repository_tree.h"
#include "support/fields.h"
#include "support/object_id.h"

namespace torchpatch::source {

/// A commit of the closure that is still to be read.
struct PinnedRepository {
  RepositoryPath path;
  std::string url;  ///< recorded, resolved
  ObjectId commit;
  ObjectId gitlink;                ///< what the repository around it names; `commit` where no override takes another
  bool may_fetch_recorded = true;  ///< the recorded URL may be fetched from
  std::vector<std::string> moved_urls;  ///< where else the catalog says it lives
};
FIELDS(PinnedRepository, path, url, commit, gitlink, may_fetch_recorded, moved_urls)

/// A commit of the closure that is in no folder, or not whole.
struct MissingPin {
  PinnedRepository repository;
  std::string reason;
};
FIELDS(MissingPin, repository, reason)

/// A submodule whose URL is refused.
struct RefusedSubmodule {
  PinnedEntry gitlink;
  std::string why;  ///< "reading .gitmodules of …, line 12: the URL … is refused: …"
};

/// Returns one line: "torch:third_party/onnx: commit … of https://…: the commit is in no folder; not in any mirror".
std::string missing_text(const MissingPin& missing);
/// Raises source: what was attempted of `source`, such a line for each commit that is not there whole, and a hint. Of
/// these, `partial` lack nothing but files, `files` in all.
struct MissingFiles {
  std::size_t partial = 0, files = 0;
};
[[noreturn]] void raise_missing(const std::string& action, const std::vector<std::string>& lines,
                                const ObjectSource& source, const std::string& hint, const MissingFiles& of = {});

/// Returns the pin of a component. Raises unsafe where its URL is refused.
PinnedRepository component_pin(const Release& release, Component component, const std::vector<MovedRepository>& moved);

/// Returns what to ask a source for: the recorded URL if it may be fetched from, then those of the catalog.
WantedCommit wanted_commit(const PinnedRepository& repository);

/// Returns the URLs that the catalog gives for a repository that moved, in its order, each once.
std::vector<std::string> find_moved_urls(const std::string& url, const std::vector<MovedRepository>& moved);

/// Returns the submodules of `parent`, sorted by path. Raises unsafe where .gitmodules is malformed, a gitlink has no
/// entry, or a URL is refused, unless `refused` takes such a submodule; an entry without a gitlink is a line in
/// `notes`: nobody can act on it (gloo has one since 2017).
std::vector<PinnedRepository> find_submodules(const PinnedRepository& parent, const RepositoryTree& tree,
                                              const std::vector<MovedRepository>& moved,
                                              std::vector<std::string>& notes,
                                              std::vector<RefusedSubmodule>* refused = nullptr);

/// Returns "torch:third_party/onnx at 7ec692a6…", for messages.
std::string name_of(const PinnedRepository& repository);

}  // namespace torchpatch::source
