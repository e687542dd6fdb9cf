// SPDX-License-Identifier: BSD-3-Clause
/// Loose objects, read by our own bounded code: libgit2 1.5 overflows its heap on one that declares fewer bytes than it
/// holds, loops for ever on a truncated one and blocks on a FIFO.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "git/object.h"
#include "support/digest.h"

namespace torchpatch::git {

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
