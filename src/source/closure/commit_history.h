// SPDX-License-Identifier: BSD-3-Clause
/// CommitHistory: what became of the files of a repository between two of its commits: renames, and which commit
/// changed what. Only ever used inside a worker process.
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
  std::string path;              ///< of the file after it
  std::optional<ObjectId> blob;  ///< after it; nothing where it was removed
};

class CommitHistory {
 public:
  /// The way from where the two commits part (each line of first parents counts) to `to`; where `to` is the older one,
  /// back to there first, with what is undone on it. `store` must outlive this. Where commits or trees on it are in no
  /// folder, there is no way.
  CommitHistory(git::ObjectStore& store, const ObjectId& from, const ObjectId& to);

  /// Whether the commits in between are available.
  bool is_known() const { return is_known_; }
  /// Returns the changes of a file of `from` (a link or submodule, too), oldest first; renames are followed where it is
  /// not in `to` under its name. Nothing where the way is not known.
  std::vector<FileChange> changes_of(const std::string& path);
  /// Returns what a file of `from` that `to` does not have is called there: by the way, or, without one, by likeness
  /// alone; nothing where it was removed.
  std::optional<std::string> new_name(const std::string& path);
  /// Returns the bytes of a blob. Raises AbsentObject.
  std::string read_blob(const ObjectId& id);

 private:
  void find_way(const ObjectId& from, const ObjectId& to);
  void join_lines(std::vector<HistoryCommit> from, std::vector<HistoryCommit> to, const ObjectId& meeting,
                  bool is_backwards);
  git::Commit read_commit(const ObjectId& id);
  /// Holds until the next call.
  const std::vector<git::TreeEntry>& entries(const ObjectId& tree);
  /// Returns what stands at a path (a link or submodule, too; only a file if `is_file`), but not a folder; or nothing.
  std::optional<ObjectId> find(const ObjectId& tree, const std::string& path, bool is_file = false);
  /// Adds the files that `after` has and `before` has not at their paths.
  void add_new_files(const std::optional<ObjectId>& before, const ObjectId& after, const std::string& prefix,
                     std::vector<PinnedEntry>& files);
  std::optional<std::string> renamed(const std::string& path, const ObjectId& before, const ObjectId& after);
  std::vector<FileChange> follow(std::string path);

  git::ObjectStore& store_;
  bool is_known_ = false;
  ObjectId from_tree_, to_tree_;
  ObjectId start_tree_;             ///< where the way begins
  std::vector<HistoryCommit> way_;  ///< behind that, oldest first
  std::map<ObjectId, std::vector<git::TreeEntry>> trees_;
  std::map<std::string, std::vector<FileChange>> known_;
};

}  // namespace torchpatch::source
