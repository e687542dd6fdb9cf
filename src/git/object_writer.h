// SPDX-License-Identifier: BSD-3-Clause
/// Writes bare repositories that are read by git as well.
#pragma once

#include <string>
#include <string_view>

#include "git/object.h"
#include "support/object_id.h"

namespace torchpatch::git {

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
