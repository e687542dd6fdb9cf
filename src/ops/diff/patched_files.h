// SPDX-License-Identifier: BSD-3-Clause
/// The files that patches change, each with the chain of patches that meet in it (internal).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/manifest.h"
#include "ops/diff/causes.h"

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

}  // namespace torchpatch::ops
