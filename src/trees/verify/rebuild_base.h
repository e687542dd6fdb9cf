// SPDX-License-Identifier: BSD-3-Clause
/// Single files of a prepared tree, read when somebody asks.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/manifest.h"
#include "model/verify.h"
#include "patch/apply.h"
#include "tree/scan.h"

namespace torchpatch::trees {

/// Returns the copy of a patch beside the manifest. Raises data where it is not the patch that the manifest names.
std::string read_patch_copy(const std::string& root, const ManifestPatch& patch);

/// The files and links of one repository as they were scanned, by their paths in it.
using ScannedFiles = std::map<std::string_view, const tree::ScannedEntry*>;

/// Returns those of `scanned`, which is sorted and must outlive the result, that lie in a directory of OUT; what lies
/// in submodules is among them.
ScannedFiles files_in(const std::vector<tree::ScannedEntry>& scanned, const std::string& directory);

/// The files of one repository on disk, each read when somebody asks. Raises environment where one is not what was
/// scanned.
class DiskFiles : public patch::FileSource {
 public:
  DiskFiles(std::string root, ScannedFiles files) : root_(std::move(root)), files_(std::move(files)) {}

  std::optional<patch::TreeFile> read(const std::string& path) override;
  bool is_directory(const std::string& path) override { return has_others_below(path, {}); }
  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override;

 private:
  std::string root_;
  ScannedFiles files_;
};

// verify, second part: the proof. From the files on disk alone, the patches are taken back out in memory, added files
// dropped, every repository's tree computed, and each must be the tree that its pinned commit names (design §9.2).

/// Adds to `differences` what does not add up: commit, base-tree, patched-tree, tree, patch. `root` is OUT; contents
/// are read only for files that patches touch, and must be those that were scanned.
void check_base_trees(const std::string& root, const std::vector<const tree::ScannedEntry*>& scanned,
                      const Manifest& manifest, std::vector<Difference>& differences);

}  // namespace torchpatch::trees
