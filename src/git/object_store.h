// SPDX-License-Identifier: BSD-3-Clause
/// ObjectStore: reads git objects from folders of untrusted repositories. Use it only in worker processes
/// (support/worker_pool.h): truncating a mapped pack ends the process, and a bug must not end the run. Also: reading
/// single loose objects (read_loose_object), and writing bare repositories of our own (RepositoryWriter).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/object.h"
#include "support/digest.h"

namespace torchpatch::git {

/// Whether this run has already verified every index that will be needed.
enum class Indexes { unchecked, checked };

/// Searches the object folders (".../objects") of several repositories, in order. Only a folder's own packs and loose
/// objects are read, not alternates, multi-pack indexes or anything else. Each folder and pack searched is a step of
/// the worker (note_step).
class ObjectStore {
 public:
  /// Opens folders only when they are first searched. Packs with malformed indexes are then skipped, with a line in
  /// warnings(). Checked indexes are verified again only after an object is not found.
  explicit ObjectStore(const std::vector<std::string>& object_folders, Indexes indexes = Indexes::unchecked);
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  /// Returns the object, its bytes verified against its id; nothing if no folder has it. An unreadable copy is a
  /// warning if there is also a good one, and otherwise raises source (unsafe if over kMaxObjectBytes). `near`: index
  /// of the folder to try first (the one with the repository's commit), or -1.
  std::optional<Object> read(const ObjectId& id, int near = -1);
  /// Returns the index of the first folder with the object, or -1, without unpacking anything.
  int find(const ObjectId& id, int near = -1);
  /// Returns the object's size in bytes from the first folder that has it without unpacking (approximate for a delta);
  /// nothing if none has.
  std::optional<std::uint64_t> size_of(const ObjectId& id, int near = -1);
  /// Returns what was skipped so far, and why; no duplicates.
  const std::vector<std::string>& warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Loose objects are read by our own bounded code: libgit2 1.5 overflows its heap if one declares fewer bytes than it
// contains, loops forever on a truncated one and blocks on a FIFO.

/// Returns whether the folder has a regular file for this object.
bool has_loose_object(const std::string& object_folder, const ObjectId& id);

/// Returns the object, checked against its declared size but not its id; nothing if the folder has no such file. Raises
/// source if it is damaged, unsafe if it is over kMaxObjectBytes.
std::optional<Object> read_loose_object(const std::string& object_folder, const ObjectId& id);

/// Returns the size in the object's header; nothing if the folder has no such file. Raises as above.
std::optional<std::uint64_t> loose_object_size(const std::string& object_folder, const ObjectId& id);

/// Parses a loose object's file; `name` is for messages. Raises as above.
Object inflate_loose_object(std::string_view compressed, const ObjectId& id, const std::string& name);

// Bare repositories of our own, readable by git.

/// Creates missing folders of an empty bare repository. Raises environment.
void make_repository_folders(const std::string& repository);

/// Writes objects and refs into a bare repository that it created.
class RepositoryWriter {
 public:
  /// Creates an empty bare repository at `path`, with HEAD refs/heads/main. Raises environment if `path` exists or
  /// cannot be written.
  explicit RepositoryWriter(const std::string& path);

  /// Writes a loose object with content `bytes`, and returns its id. Raises environment.
  ObjectId write(ObjectType type, std::string_view bytes) const;
  /// Sets a ref such as "refs/heads/main" to `commit`. Raises environment.
  void set_ref(const std::string& ref, const ObjectId& commit) const;

 private:
  std::string path_;
};

}  // namespace torchpatch::git
