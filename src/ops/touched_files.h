// SPDX-License-Identifier: BSD-3-Clause
/// The files that patches touch, of many releases at once, without the rest of their closures.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/release.h"
#include "model/submodule_override.h"
#include "patch/memory_files.h"
#include "patch/patch_file.h"
#include "source/object_source.h"
#include "source/submodules.h"

namespace torchpatch::ops {

/// A patch, and the repository that it is for.
struct TouchingPatch {
  RepositoryPath repository;
  const patch::PatchFile* parsed = nullptr;
};

struct TouchedRequest {
  const Release* release = nullptr;
  std::vector<SubmoduleOverride> overrides;
  std::vector<TouchingPatch> patches;
};

struct TouchedFiles {
  std::map<RepositoryPath, patch::MemoryFiles> repositories;  ///< those that the pins have
  std::vector<source::MissingPin> missing;  ///< not empty: something could not be read; all else is empty
};

/// Returns for each request what the paths of its patches hold at its pins, in order. Raises as run_lookups.
std::vector<TouchedFiles> read_touched_files(const std::vector<TouchedRequest>& requests,
                                             const std::vector<MovedRepository>& moved, source::ObjectSource& source,
                                             int jobs, Console& console);

}  // namespace torchpatch::ops
