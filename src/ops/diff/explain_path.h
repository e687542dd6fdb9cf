// SPDX-License-Identifier: BSD-3-Clause
/// Why a path of OUT is not the same on both sides (internal).
#pragma once

#include <map>
#include <string>

#include "ops/diff/causes.h"
#include "ops/diff/diff_input.h"
#include "ops/diff/patched_files.h"

namespace torchpatch::ops {

class PathCauses {
 public:
  PathCauses(const DiffInput& a, const DiffInput& b, const Causes& causes);

  /// Returns the repository whose files lie there, or null: none's.
  const RepositoryPath* owner(const std::string& path) const;
  /// Returns what explains that the paths differ, where each is what its own manifest says.
  Cause cause(const std::string& path) const;

 private:
  Cause cause_of_added_file(const std::string& path) const;

  const Causes& causes_;
  bool manifests_differ_;
  std::map<std::string, RepositoryPath> repositories_;  ///< by directory
  PatchedFiles patched_a_, patched_b_;
  std::map<std::string, const ManifestAddedFile*> added_a_, added_b_;
};

}  // namespace torchpatch::ops
