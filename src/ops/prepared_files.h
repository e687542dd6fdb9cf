// SPDX-License-Identifier: BSD-3-Clause
/// Single files of a prepared tree, read when somebody asks.
#pragma once

#include <string>

#include "model/manifest.h"
#include "patch/apply.h"

namespace torchpatch::ops {

/// Returns the copy of a patch beside the manifest. Raises data where it is not the patch that the manifest names.
std::string read_patch_copy(const std::string& root, const ManifestPatch& patch);

/// The files of one repository of a prepared tree, each read when somebody asks; links are never followed.
class PreparedFiles : public patch::FileSource {
 public:
  /// `manifest` must outlive this.
  PreparedFiles(const std::string& root, const RepositoryPath& repository, const Manifest& manifest);

  std::optional<patch::TreeFile> read(const std::string& path) override;
  bool is_directory(const std::string& path) override;

 private:
  std::string directory_;
  RepositoryPath repository_;
  const Manifest& manifest_;
};

}  // namespace torchpatch::ops
