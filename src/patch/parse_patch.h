// SPDX-License-Identifier: BSD-3-Clause
/// Patch text → PatchFile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Parses a git patch, a mail or a series of mails of git format-patch, or a plain unified diff. `name` is the patch's,
/// for messages. Stricter than git apply where that would lose a change in silence (reliability C 69-77): nothing but
/// header lines and a signature may stand between files and behind the last one, no hunk may stand outside of a file,
/// and a header that promises a change of content must have it. Raises data with the line, unsafe for modes and sizes.
/// Paths are checked when the patch is applied.
PatchFile parse_patch(std::string_view text, std::string_view name);

/// Returns the paths that apply_patch may read for `patch`, sorted: those it names, and the directories above them,
/// where a file would be in the way.
std::vector<std::string> touched_paths(const PatchFile& patch);

}  // namespace torchpatch::patch
