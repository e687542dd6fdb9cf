// SPDX-License-Identifier: BSD-3-Clause
/// The tree of one pinned commit, read and checked (RepositoryTree, the worker's half of the closure); and its
/// submodules: which commits come next, and where they may be fetched from (PinnedRepository).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "git/object_store.h"
#include "model/path_rule.h"
#include "model/release.h"
#include "model/repository_path.h"
#include "source/closure/object_source.h"
#include "support/digest.h"
#include "support/fields.h"

namespace torchpatch::source {

/// Deepest nesting of folders in a tree: bounds the stack.
inline constexpr int kMaxTreeDepth = 512;

/// A file, link or gitlink, at its path in the repository.
struct PinnedEntry {
  std::string path;
  FileMode mode = FileMode::regular;
  ObjectId id;
};
template <typename Fields>
void fields(Fields& f, PinnedEntry& entry) {
  f("path", entry.path);
  f("mode", entry.mode);
  f("id", entry.id);
  f.require([&] { return !output_path_problem(entry.path) && entry.mode != FileMode::directory; });
}

struct RepositoryTree {
  /// Why the folders do not have the commit whole, or empty. The rest is then empty as well, unless nothing
  /// but `missing_files` are missing.
  std::string missing;
  std::vector<PinnedEntry> missing_files;  ///< of `entries`, those whose blobs are in no folder
  int store = -1;                          ///< folder where the commit was found
  std::string raw_commit;
  std::string gitmodules;  ///< content of .gitmodules, or empty
  bool has_gitmodules = false;
  std::vector<PinnedEntry> entries;  ///< sorted bytewise by path, without directories
  std::uint64_t bytes = 0;           ///< of the files, as the folders declare
  std::vector<std::string> damage;   ///< of the folders: what was left out, and why
};
template <typename Fields>
void fields(Fields& f, RepositoryTree& tree) {
  f("missing", tree.missing);
  f("store", tree.store);
  f("raw_commit", tree.raw_commit);
  f("gitmodules", tree.gitmodules);
  f("has_gitmodules", tree.has_gitmodules);
  f("entries", tree.entries);
  f("missing_files", tree.missing_files);
  f("bytes", tree.bytes);
  f("damage", tree.damage);
  f.require([&] { return tree.store >= -1; });
}

/// Most entries, directories included, that a tree (and a closure) may have: a few kilobytes of shared subtrees can
/// stand for more than any disk holds.
inline constexpr std::uint64_t kMaxEntries = 1'000'000;
/// Largest .gitmodules that is read: 1 MiB.
inline constexpr std::uint64_t kMaxGitmodulesBytes = 1 << 20;

/// Raised where an object cannot be had from any folder; caught where what lacks it is told of.
struct AbsentObject {
  std::string reason;  ///< "the tree … is in no folder"
};
/// Reads an object; one that no folder has, or has only damaged, is an AbsentObject. `what`: "tree 4b825dc6…".
git::Object read_or_miss(git::ObjectStore& store, const ObjectId& id, int near, const std::string& what);

/// Reads the tree of `commit`, and makes sure that every blob is there, without unpacking it. `directory`: where the
/// repository will lie in OUT; every path is checked as one below it. Raises unsafe where the path-and-mode rule or a
/// limit refuses something, source where an object is malformed or damaged.
RepositoryTree read_repository_tree(git::ObjectStore& store, const ObjectId& commit, const std::string& directory,
                                    std::uint64_t max_entries = kMaxEntries);

/// A commit of the closure that is in no folder, or not whole.
struct MissingPin {
  PinnedRepository repository;
  std::string reason;
};
FIELDS(MissingPin, repository, reason)

/// What a pinned tree has and no folder holds: a file, a link, or a submodule (a gitlink) as a whole.
struct ClosureGap {
  RepositoryPath repository;  ///< whose tree names it
  PinnedEntry entry;
  /// Why its URL is refused: "reading .gitmodules of …, line 12: the URL … is refused: …"; empty: it was not found.
  std::string refused{};
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

/// Returns the URLs that the catalog gives for a repository that moved, in its order, each once.
std::vector<std::string> find_moved_urls(const std::string& url, const std::vector<MovedRepository>& moved);

/// Error of kind unsafe: a submodule's URL is refused.
class RefusedUrl : public Error {
 public:
  explicit RefusedUrl(std::string message) : Error(ErrorKind::unsafe, std::move(message)) {}
};
/// Returns the submodules of `parent`, sorted by path. Raises unsafe where .gitmodules is malformed, a gitlink has no
/// entry, or (RefusedUrl) a URL is refused, unless `refused` takes such a submodule; an entry without a gitlink is a
/// line in `notes`: nobody can act on it (gloo has one since 2017).
std::vector<PinnedRepository> find_submodules(const PinnedRepository& parent, const RepositoryTree& tree,
                                              const std::vector<MovedRepository>& moved,
                                              std::vector<std::string>& notes,
                                              std::vector<ClosureGap>* refused = nullptr);

}  // namespace torchpatch::source
