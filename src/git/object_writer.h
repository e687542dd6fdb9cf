// SPDX-License-Identifier: BSD-3-Clause
/// Makes bare repositories of our own.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "git/object.h"
#include "support/object_id.h"

namespace torchpatch::git {

/// Writes objects and refs into a bare repository that it has made.
class RepositoryWriter {
 public:
  /// Makes an empty bare repository at `path`, whose HEAD is refs/heads/main. Raises environment where there is
  /// something at `path` already, or it cannot be written.
  explicit RepositoryWriter(const std::string& path);
  ~RepositoryWriter();
  RepositoryWriter(const RepositoryWriter&) = delete;
  RepositoryWriter& operator=(const RepositoryWriter&) = delete;

  /// Writes an object whose content is `bytes`, as a loose one, and returns its id. Raises environment.
  ObjectId write(ObjectType type, std::string_view bytes);
  /// Lets a ref such as "refs/heads/main" name `commit`. Raises environment.
  void set_ref(const std::string& ref, const ObjectId& commit);

 private:
  struct Impl;
  std::string path_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torchpatch::git
