// SPDX-License-Identifier: BSD-3-Clause
/// ObjectStore: reads git objects from folders of repositories that anybody may have written. Only ever used inside a
/// worker process (support/worker_pool.h): a mapped pack that somebody cuts off ends the process, and no bug ends the
/// run.
#pragma once

#include <memory>
#include <optional>
#include <string>
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

}  // namespace torchpatch::git
