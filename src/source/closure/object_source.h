// SPDX-License-Identifier: BSD-3-Clause
/// The origin of objects: ObjectSource, folders of git repositories and a way to fetch what they lack (such as commits
/// of a PinnedRepository); MirrorSource, folders only; and read_blobs().
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

/// A commit of the closure to read.
struct PinnedRepository {
  RepositoryPath path;
  std::string url;  ///< recorded, resolved
  ObjectId commit;
  ObjectId gitlink;                ///< the commit in the parent's tree; `commit` unless overridden
  bool may_fetch_recorded = true;  ///< the recorded URL may be fetched from; otherwise only a URL mapped by the user
  std::vector<std::string> moved_urls;  ///< other URLs in the catalog; all accepted by url_problem
  bool is_hint = false;                 ///< requested in advance: may be unneeded or present already; not retried
  std::optional<ContentPin> content{};  ///< from which the commit is constructed: no server has it
};
FIELDS(PinnedRepository, path, url, commit, gitlink, may_fetch_recorded, moved_urls, content)

/// Returns "torch:third_party/onnx at 7ec692a6…", for messages.
std::string name_of(const PinnedRepository& repository);

/// The folders to read from. Sources that can fetch (network) add to them in bring().
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  /// Object folders to search, in order; grows after bring().
  virtual const std::vector<std::string>& object_folders() const = 0;
  /// Tries to bring commits that no folder has, with all their trees and blobs. Returns for each, in order, an empty
  /// text on success, else the reason. The default brings nothing: "not in any mirror".
  virtual std::vector<std::string> bring(const std::vector<PinnedRepository>& wanted, Console& console);
  /// Called for each commit that is read, with the index of its folder. The default does nothing.
  virtual void note_use(int folder, const ObjectId& commit);
  /// Returns where objects come from, in words for reports.
  virtual std::string describe() const = 0;
  /// Returns what to do if something is missing.
  virtual std::string hint() const;
  /// Returns the release archives among the folders (archive_source.h); the default has none.
  virtual const std::vector<OpenArchive>& archives() const;
};

// Reads a few blobs (those that patches change) in a worker process.

struct BlobRequest {
  ObjectId id;
  int store = -1;    ///< folder to look in first
  std::string name;  ///< for messages: "torch: setup.py"
};

/// Returns the bytes of each blob, in order. Raises source if one is missing or damaged.
std::vector<std::string> read_blobs(const std::vector<BlobRequest>& requests, ObjectSource& source, Console& console);

/// Returns the object folders (absolute, ".../objects", no duplicates) of every repository at any depth below
/// `directories`, in that order and bytewise within each: bare repositories, ".git" directories and ".git/modules/**".
/// Work trees are searched too; symbolic links (except `directories` themselves), "objects" and "refs" are not entered.
/// Incomplete repositories, unreadable folders, and objects borrowed (info/alternates) from elsewhere are warnings.
/// Raises environment if one of `directories` is not a directory.
std::vector<std::string> find_object_folders(const std::vector<std::string>& directories, Console& console);

/// Reads only from folders of repositories.
class MirrorSource : public ObjectSource {
 public:
  /// Raises as find_object_folders(), and source if there is no repository at all. Warnings go to `console`.
  MirrorSource(std::vector<std::string> directories, Console& console);

  const std::vector<std::string>& object_folders() const override { return object_folders_; }
  std::string describe() const override;

 private:
  std::vector<std::string> directories_;
  std::vector<std::string> object_folders_;
};

}  // namespace torchpatch::source
