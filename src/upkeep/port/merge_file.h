// SPDX-License-Identifier: BSD-3-Clause
/// Merges what a patch does to one file with what upstream did to it (internal).
#pragma once

#include <optional>
#include <string>

#include "source/closure/commit_history.h"
#include "upkeep/port/carry_variant.h"

namespace torchpatch::upkeep {

/// Where, for messages and blame.
struct MergePlace {
  RepositoryPath repository;
  std::string old_release, new_release;
  source::CommitHistory& history;
};

/// Returns a commit as reports name it.
inline BlamedCommit blamed(const source::HistoryCommit& commit) { return {commit.id, commit.subject}; }

/// The states of a file; without a file nothing.
struct FileStates {
  std::string path, new_path;
  std::optional<patch::TreeFile> base, ours, theirs;
};

/// The merged file (nothing: it goes), unless there is a conflict.
struct FileMerge {
  std::optional<patch::TreeFile> file;
  std::optional<FileConflict> conflict;
};

/// Returns what comes of a file. Clean is not right: where lines that the patch adds are new in upstream's file as
/// well, that is a conflict.
FileMerge merge_file(const FileStates& states, const MergePlace& place);

}  // namespace torchpatch::upkeep
