// SPDX-License-Identifier: BSD-3-Clause
/// Applies a series of patches to one repository, each to what the ones before it left, and checks certificates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/patchset.h"
#include "patch/apply.h"

namespace torchpatch::patch {

struct SeriesStep {
  const PatchFile* patch = nullptr;
  std::string name;                 ///< for messages
  std::vector<PatchEdge> expected;  ///< one for every path that the patch changes; empty = not certified
};

struct SeriesResult {
  std::vector<std::vector<PatchEdge>> edges;  ///< of each step, sorted by path
  Changes changes;                            ///< against the files before the series
  std::vector<MovedHunk> moved;
};

/// Applies the steps in order. Of a step with expected edges, `before` must match before it is applied and `after` when
/// it is, for exactly the paths that it changes, with the modes that it states; a moved hunk is then fine.
/// Raises as apply_patch, and ApplyError wrong_content with both blob ids where an edge does not match; each with the
/// step's name as context.
SeriesResult apply_series(const std::vector<SeriesStep>& steps, FileSource& files);

/// Takes the patches of a series, which are in the order of application, back out, last first. Returns what changes
/// against `files`; raises as apply_series.
Changes take_series_out(const std::vector<SeriesStep>& steps, FileSource& files);

}  // namespace torchpatch::patch
