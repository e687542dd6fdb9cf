// SPDX-License-Identifier: BSD-3-Clause
/// Single files of a prepared tree, read when somebody asks.
#pragma once

#include <string>
#include <vector>

#include "model/manifest.h"
#include "model/verify.h"
#include "patch/apply.h"
#include "tree/scan.h"

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

// verify, second part: the proof. From the files on disk alone, the patches are taken back out in memory, added files
// dropped, every repository's tree computed, and each must be the tree that its pinned commit names (design §9.2).

/// Adds to `differences` what does not add up: commit, base-tree, patched-tree, tree, patch. `root` is OUT; contents
/// are read only for files that patches touch, and must be those that were scanned.
void check_base_trees(const std::string& root, const std::vector<const tree::ScannedEntry*>& scanned,
                      const Manifest& manifest, std::vector<Difference>& differences);

}  // namespace torchpatch::ops
