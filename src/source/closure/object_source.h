// SPDX-License-Identifier: BSD-3-Clause
/// Where objects come from: ObjectSource, folders of git repositories and a way to fetch what they lack (of commits
/// such as PinnedRepository); MirrorSource, folders alone; and read_blobs().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/release.h"
#include "model/repository_path.h"
#include "support/console.h"
#include "support/digest.h"
#include "support/fields.h"

namespace torchpatch::source {

struct OpenArchive;

/// A commit of the closure that is still to be read.
struct PinnedRepository {
  RepositoryPath path;
  std::string url;  ///< recorded, resolved
  ObjectId commit;
  ObjectId gitlink;                ///< what the repository around it names; `commit` where no override takes another
  bool may_fetch_recorded = true;  ///< the recorded URL may be fetched from as it is; else the user names another
  std::vector<std::string> moved_urls;  ///< where else the catalog says it lives; none has a url_problem
  bool is_hint = false;                 ///< asked for, it may be of no use, or be in a folder: it is not tried twice
  std::optional<ContentPin> content{};  ///< that the commit is constructed of: no server has it
};
FIELDS(PinnedRepository, path, url, commit, gitlink, may_fetch_recorded, moved_urls, content)

/// Returns "torch:third_party/onnx at 7ec692a6…", for messages.
std::string name_of(const PinnedRepository& repository);

/// The folders to read from. A source that can fetch (network) adds to them: bring().
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  /// Object folders to search, in order; grows after bring().
  virtual const std::vector<std::string>& object_folders() const = 0;
  /// Tries to bring commits that no folder has, with all their trees and blobs; returns for each, in order, an empty
  /// text where that worked, else why not. The default brings nothing: "not in any mirror".
  virtual std::vector<std::string> bring(const std::vector<PinnedRepository>& wanted, Console& console);
  /// Told of each commit that is read, and the index of the folder it was found in. The default does nothing.
  virtual void note_use(int folder, const ObjectId& commit);
  /// Words for reports: where objects come from.
  virtual std::string describe() const = 0;
  /// What to do where something is missing.
  virtual std::string hint() const;
  /// Release archives among the folders (archive_source.h); the default has none.
  virtual const std::vector<OpenArchive>& archives() const;
};

// Reads a handful of blobs (those that patches touch) through a worker process.

struct BlobRequest {
  ObjectId id;
  int store = -1;    ///< folder to look in first
  std::string name;  ///< for messages: "torch: setup.py"
};

/// Returns the bytes of each blob, in order. Raises source where one is missing or damaged.
std::vector<std::string> read_blobs(const std::vector<BlobRequest>& requests, ObjectSource& source, Console& console);

/// Returns the object folders (absolute, ".../objects", each once) of every repository at any depth below
/// `directories`, in the order of these and bytewise within one: bare repositories, ".git" directories and
/// ".git/modules/**". Work trees are searched as well; symbolic links (but for `directories` themselves), "objects" and
/// "refs" are not entered. A repository that lacks parts, a folder that cannot be read, and objects borrowed
/// (info/alternates) from outside are warnings. Raises environment where one of `directories` is not a directory.
std::vector<std::string> find_object_folders(const std::vector<std::string>& directories, Console& console);

/// Reads from folders of repositories only.
class MirrorSource : public ObjectSource {
 public:
  /// Raises as above, and source where no repository is found at all. Warnings go to `console`.
  MirrorSource(std::vector<std::string> directories, Console& console);

  const std::vector<std::string>& object_folders() const override { return object_folders_; }
  std::string describe() const override;

 private:
  std::vector<std::string> directories_;
  std::vector<std::string> object_folders_;
};

}  // namespace torchpatch::source
