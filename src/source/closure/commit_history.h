// SPDX-License-Identifier: BSD-3-Clause
/// CommitHistory: the changes to a repository's files between two of its commits: renames, and which commit changed
/// what. Use it only in worker processes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "git/object_store.h"
#include "source/closure/repository_tree.h"
#include "support/fields.h"

namespace torchpatch::source {

struct HistoryCommit {
  ObjectId id;
  ObjectId tree;
  std::string subject;
};
FIELDS(HistoryCommit, id, tree, subject)

/// A commit that changed a file.
struct FileChange {
  HistoryCommit commit;
  std::string path;              ///< the file's path after it
  std::optional<ObjectId> blob;  ///< the file's blob after it; nothing if removed
};

class CommitHistory {
 public:
  /// The history from the merge base of the two commits (by first parents) to `to`; if `to` is the older one, the
  /// changes back to the merge base come first, reverted. `store` must outlive this. If commits or trees in between are
  /// missing, the history is unknown.
  CommitHistory(git::ObjectStore& store, const ObjectId& from, const ObjectId& to);

  /// Returns whether the commits in between are available.
  bool is_known() const { return is_known_; }
  /// Returns the changes of a path of `from` (a file, link or submodule), oldest first; follows renames if `to` does
  /// not have the path. Returns none if the history is unknown.
  std::vector<FileChange> changes_of(const std::string& path);
  /// Returns the new name in `to` of a file of `from`: from the history, or if unknown, by similarity only; nothing if
  /// it was removed.
  std::optional<std::string> new_name(const std::string& path);
  /// Returns the bytes of a blob. Raises AbsentObject.
  std::string read_blob(const ObjectId& id);

 private:
  void find_way(const ObjectId& from, const ObjectId& to);
  void join_lines(std::vector<HistoryCommit> from, std::vector<HistoryCommit> to, const ObjectId& meeting,
                  bool is_backwards);
  git::Commit read_commit(const ObjectId& id);
  /// Valid until the next call.
  const std::vector<git::TreeEntry>& entries(const ObjectId& tree);
  /// Returns the id of a path (link or submodule too; only a file if `is_file`), but not of a directory; or nothing.
  std::optional<ObjectId> find(const ObjectId& tree, const std::string& path, bool is_file = false);
  /// Adds the files that exist in `after`, but not in `before` at the same path.
  void add_new_files(const std::optional<ObjectId>& before, const ObjectId& after, const std::string& prefix,
                     std::vector<PinnedEntry>& files);
  std::optional<std::string> renamed(const std::string& path, const ObjectId& before, const ObjectId& after);
  std::vector<FileChange> follow(std::string path);

  git::ObjectStore& store_;
  bool is_known_ = false;
  ObjectId from_tree_, to_tree_;
  ObjectId start_tree_;             ///< of the first commit
  std::vector<HistoryCommit> way_;  ///< after that, oldest first
  std::map<ObjectId, std::vector<git::TreeEntry>> trees_;
  std::map<std::string, std::vector<FileChange>> known_;
};

}  // namespace torchpatch::source
