// SPDX-License-Identifier: BSD-3-Clause
/// The files that patches change, each with the chain of patches that meet in it (internal).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/manifest.h"
#include "ops/diff/causes.h"
#include "ops/diff/diff.h"

namespace torchpatch::ops {

struct PatchedFile {
  RepositoryPath repository;
  std::optional<ObjectId> before, after;      ///< the pinned blob and the last one
  std::vector<const ManifestPatch*> patches;  ///< in order; owned by the manifest
};

/// By path in OUT.
using PatchedFiles = std::map<std::string, PatchedFile>;
PatchedFiles patched_files(const Manifest& manifest);

/// Returns why patches make something else of a file on each side; null = no patch touches it there.
Cause cause_of_patched_file(const PatchedFile* a, const PatchedFile* b, const Causes& causes);

// Why a path of OUT is not the same on both sides.

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
