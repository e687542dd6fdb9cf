// SPDX-License-Identifier: BSD-3-Clause
/// The patches of a work as its commits say them (internal).
#pragma once

#include <string>
#include <vector>

#include "model/patchset.h"
#include "upkeep/edit/patch_work.h"
#include "upkeep/edit/work_repository.h"

namespace torchpatch::upkeep {

/// A patch as it is in the work.
struct MadePatch {
  std::string text;  ///< empty where it changes nothing
  bool is_changed = false;
  std::vector<std::string> paths;
  std::string tip;  ///< its last commit
};

/// Returns the patches in order; one that nobody changed with the bytes that it has in `patchset` (null: a new one),
/// the others dated `today`. Raises patch as refresh_patch_work does, but not for a patch that changes nothing.
std::vector<MadePatch> make_work_patches(const PatchWork& state, const Patchset* patchset,
                                         const WorkRepository& repository, const std::string& today);
/// Raises patch: it changes nothing.
[[noreturn]] void refuse_empty_patch(const std::string& file);

/// Returns the patch that a commit's message names, or empty text.
std::string patch_named_in(const std::string& message);
/// Raises patch where a line that a diff adds is a mark of a conflict; `folder` stands before its paths.
void check_conflict_marks(const std::string& diff, const std::string& folder);

}  // namespace torchpatch::upkeep
