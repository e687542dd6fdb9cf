// SPDX-License-Identifier: BSD-3-Clause
/// The patches of a work as its commits say them (internal).
#pragma once

#include <string>
#include <vector>

#include "model/patchset.h"
#include "ops/author/patch_work.h"
#include "ops/author/work_repository.h"

namespace torchpatch::ops {

/// A patch as it is in the work.
struct MadePatch {
  std::string text;
  bool is_changed = false;
  std::vector<std::string> paths;
  std::string tip;  ///< its last commit
};

/// Returns the patches in order; one that nobody changed with the bytes that it has in `patchset` (null: a new one),
/// the others dated `today`. Raises patch as refresh_patch_work does.
std::vector<MadePatch> make_work_patches(const PatchWork& state, const Patchset* patchset,
                                         const WorkRepository& repository, const std::string& today);

/// Returns the patch that a commit's message names, or empty text.
std::string patch_named_in(const std::string& message);
/// Raises patch where a line of a file's text is a mark of a conflict.
void check_conflict_marks(const std::string& text, const std::string& file);

}  // namespace torchpatch::ops
