// SPDX-License-Identifier: BSD-3-Clause
/// The whole tree of one commit, read and checked: the worker's half of the closure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "git/object_store.h"
#include "model/path_rule.h"
#include "support/object_id.h"

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
  /// Why the commit is not to be had whole from the folders, or empty. The rest is then empty as well, unless nothing
  /// but `missing_files` are missing.
  std::string missing;
  std::vector<PinnedEntry> missing_files;  ///< of `entries`, those whose blobs are in no folder
  int store = -1;                          ///< folder where the commit was found
  std::string raw_commit;
  std::string gitmodules;  ///< content of .gitmodules, or empty
  bool has_gitmodules = false;
  std::vector<PinnedEntry> entries;   ///< sorted bytewise by path, without directories
  std::uint64_t bytes = 0;            ///< of the files, as the folders declare
  std::vector<std::string> warnings;  ///< of the content: the same wherever it is read from
  std::vector<std::string> damage;    ///< of the folders: what was left out, and why
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
  f("warnings", tree.warnings);
  f("damage", tree.damage);
  f.require([&] { return tree.store >= -1; });
}

/// Most entries, directories included, that a tree (and a closure) may have: a few kilobytes of shared subtrees can
/// stand for more than any disk holds (reliability §3.4 30).
inline constexpr std::uint64_t kMaxEntries = 1'000'000;
/// Largest .gitmodules that is read: 1 MiB.
inline constexpr std::uint64_t kMaxGitmodulesBytes = 1 << 20;

/// Returns the warning of two paths of one directory.
std::string collision_text(const std::string& path, const std::string& other);

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

}  // namespace torchpatch::source
