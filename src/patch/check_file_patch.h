// SPDX-License-Identifier: BSD-3-Clause
/// The rules about one file's change as a whole.
#pragma once

#include "patch/line_reader.h"
#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Raises data at `header`, the first line of the file, where header and content disagree: a created file with old
/// lines, a removed one that keeps some, an index line with two ids and no content (a patch that was cut off), a binary
/// change without full ids, or nothing that changes.
void check_file_patch(const LineReader& header, const FilePatch& file);

}  // namespace torchpatch::patch
