// SPDX-License-Identifier: BSD-3-Clause
/// RepositoryTree: the tree of one pinned commit, read and checked (the worker's part of the closure), and its
/// submodules: the next commits, and where they may be fetched from (PinnedRepository).
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

/// Deepest nesting of directories in a tree; it bounds the stack.
inline constexpr int kMaxTreeDepth = 512;

/// A file, link or gitlink, with its path in the repository.
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
  /// Why the folders do not have the complete commit, or empty. If set, the rest is empty too, unless only
  /// `missing_files` are missing.
  std::string missing;
  std::vector<PinnedEntry> missing_files;  ///< those of `entries` whose blobs are in no folder
  int store = -1;                          ///< folder where the commit was found
  std::string raw_commit;
  std::string gitmodules;  ///< content of .gitmodules, or empty
  bool has_gitmodules = false;
  std::vector<PinnedEntry> entries;  ///< sorted bytewise by path, without directories
  std::uint64_t bytes = 0;           ///< of the files, as declared by the folders
  std::vector<std::string> damage;   ///< of the folders: what was skipped, and why
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

/// Largest number of entries, including directories, of a tree (and a closure): shared subtrees of a few kilobytes can
/// represent more than any disk can hold.
inline constexpr std::uint64_t kMaxEntries = 1'000'000;
/// Largest .gitmodules accepted: 1 MiB.
inline constexpr std::uint64_t kMaxGitmodulesBytes = 1 << 20;

/// Thrown if an object is not available from any folder; caught by the code that reports what lacks it.
struct AbsentObject {
  std::string reason;  ///< "the tree … is in no folder"
};
/// Reads an object. Throws AbsentObject if no folder has an intact one. `what`: "tree 4b825dc6…".
git::Object read_or_miss(git::ObjectStore& store, const ObjectId& id, int near, const std::string& what);

/// Reads the tree of `commit`, and checks that every blob exists, without unpacking it. Paths are checked as paths
/// below `directory`, the repository's place in OUT. Raises unsafe if the path-and-mode rule or a limit refuses
/// something, source if an object is malformed or damaged.
RepositoryTree read_repository_tree(git::ObjectStore& store, const ObjectId& commit, const std::string& directory,
                                    std::uint64_t max_entries = kMaxEntries);

/// A commit of the closure that is in no folder, or is incomplete.
struct MissingPin {
  PinnedRepository repository;
  std::string reason;
};
FIELDS(MissingPin, repository, reason)

/// An entry of a pinned tree that no folder has: a file, a link, or a whole submodule (a gitlink).
struct ClosureGap {
  RepositoryPath repository;  ///< whose tree contains it
  PinnedEntry entry;
  /// Why its URL is refused: "reading .gitmodules of …, line 12: the URL … is refused: …"; empty: it was not found.
  std::string refused{};
};

/// Returns one line: "torch:third_party/onnx: commit … of https://…: the commit is in no folder; not in any mirror".
std::string missing_text(const MissingPin& missing);
/// Raises source with the action attempted on `source`, a line for each incomplete commit, and a hint. `partial` of the
/// commits lack only files, `files` in total.
struct MissingFiles {
  std::size_t partial = 0, files = 0;
};
[[noreturn]] void raise_missing(const std::string& action, const std::vector<std::string>& lines,
                                const ObjectSource& source, const std::string& hint, const MissingFiles& of = {});

/// Returns the pin of a component. Raises unsafe if its URL is refused.
PinnedRepository component_pin(const Release& release, Component component, const std::vector<MovedRepository>& moved);

/// Returns the catalog's URLs for a repository that moved, in order, without duplicates.
std::vector<std::string> find_moved_urls(const std::string& url, const std::vector<MovedRepository>& moved);

/// Error of kind unsafe: a submodule's URL is refused.
class RefusedUrl : public Error {
 public:
  explicit RefusedUrl(std::string message) : Error(ErrorKind::unsafe, std::move(message)) {}
};
/// Returns the submodules of `parent`, sorted by path. Raises unsafe if .gitmodules is malformed, a gitlink has no
/// entry, or (RefusedUrl) a URL is refused and `refused` is null; otherwise such submodules go there. An entry without
/// a gitlink is a line in `notes`: nobody can act on it (gloo has one since 2017).
std::vector<PinnedRepository> find_submodules(const PinnedRepository& parent, const RepositoryTree& tree,
                                              const std::vector<MovedRepository>& moved,
                                              std::vector<std::string>& notes,
                                              std::vector<ClosureGap>* refused = nullptr);

}  // namespace torchpatch::source
