// SPDX-License-Identifier: BSD-3-Clause
/// ObjectStore: reads git objects from folders of repositories that anybody may have written. Only ever used inside a
/// worker process (support/worker_pool.h): a mapped pack that somebody cuts off ends the process, and no bug ends the
/// run. Besides, loose objects alone (read_loose_object), and bare repositories of our own (RepositoryWriter).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/object.h"
#include "support/digest.h"

namespace torchpatch::git {

/// Whether this run has read all of every index that something will be found in.
enum class Indexes { unchecked, checked };

/// Searches the object folders (".../objects") of several repositories, in order. Each folder's own packs and loose
/// objects count; alternates, multi-pack indexes and everything else that a folder may hold are not read. Each folder
/// and pack that is looked into is a step of the worker (note_step).
class ObjectStore {
 public:
  /// Opens nothing yet: a folder is opened when something is looked for in it. Packs whose indexes are malformed are
  /// left out then, with a line in warnings(). Of checked indexes all is read again only when something is missed.
  explicit ObjectStore(const std::vector<std::string>& object_folders, Indexes indexes = Indexes::unchecked);
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  /// Returns the object, its bytes checked against its id; nothing where no folder has it. An unreadable copy is a
  /// warning where there is a good one as well, and otherwise raises source (unsafe where it is over kMaxObjectBytes).
  /// `near`: index of the folder to try first (where the repository's commit was found), or -1.
  std::optional<Object> read(const ObjectId& id, int near = -1);
  /// Returns the index of the first folder that has the object, or -1. Nothing is unpacked.
  int find(const ObjectId& id, int near = -1);
  /// Returns the bytes of the object, as the first folder that can tell says without unpacking it, of a delta about;
  /// nothing where none can.
  std::optional<std::uint64_t> size_of(const ObjectId& id, int near = -1);
  /// What was left out so far, and why; each once.
  const std::vector<std::string>& warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Loose objects, read by our own bounded code: libgit2 1.5 overflows its heap on one that declares fewer bytes than it
// holds, loops for ever on a truncated one and blocks on a FIFO.

/// True where the folder has a regular file for this object.
bool has_loose_object(const std::string& object_folder, const ObjectId& id);

/// Returns the object, its declared size checked but not its id; nothing where the folder has no such file. Raises
/// source where it is damaged, unsafe where it is over kMaxObjectBytes.
std::optional<Object> read_loose_object(const std::string& object_folder, const ObjectId& id);

/// Returns the size that the object's header declares; nothing where the folder has no such file. Raises as above.
std::optional<std::uint64_t> loose_object_size(const std::string& object_folder, const ObjectId& id);

/// Returns the object that these bytes of a loose object's file mean; `name` is for messages. Raises like the above.
Object inflate_loose_object(std::string_view compressed, const ObjectId& id, const std::string& name);

// Bare repositories of our own, which git reads as well.

/// Makes the folders of an empty bare repository that are not there. Raises environment.
void make_repository_folders(const std::string& repository);

/// Writes objects and refs into a bare repository that it has made.
class RepositoryWriter {
 public:
  /// Makes an empty bare repository at `path`, whose HEAD is refs/heads/main. Raises environment where there is
  /// something at `path` already, or it cannot be written.
  explicit RepositoryWriter(const std::string& path);

  /// Writes an object whose content is `bytes`, as a loose one, and returns its id. Raises environment.
  ObjectId write(ObjectType type, std::string_view bytes) const;
  /// Lets a ref such as "refs/heads/main" name `commit`. Raises environment.
  void set_ref(const std::string& ref, const ObjectId& commit) const;

 private:
  std::string path_;
};

}  // namespace torchpatch::git
