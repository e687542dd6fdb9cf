// SPDX-License-Identifier: BSD-3-Clause
/// A file that is written beside its target and takes its place at once, or is gone.
#pragma once

#include <string>

#include "support/file.h"

namespace torchpatch {

class TemporaryFile {
 public:
  /// Creates "<target>.tmp-XXXXXX", mode 0600. Raises environment.
  explicit TemporaryFile(const std::string& target);
  /// Removes it unless it was renamed.
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int fd() const { return fd_.get(); }
  /// Renames it over `target`. Raises environment.
  void rename_to(const std::string& target);
  /// Renames it to `target` where nothing is there; returns false where something is. Raises environment.
  bool rename_to_new(const std::string& target);

 private:
  std::string path_;
  UniqueFd fd_;
};

}  // namespace torchpatch
