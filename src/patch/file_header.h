// SPDX-License-Identifier: BSD-3-Clause
/// Parses the header of one file's change, git's or the plain "---/+++" of diff -u.
#pragma once

#include "patch/line_reader.h"
#include "patch/patch_file.h"

namespace torchpatch::patch {

/// True where the current line begins a file: "diff --git a/x b/x", or "--- x" with "+++ x" behind it.
bool is_file_header(const LineReader& in);

/// Reads the header that begins at the current line, up to the first "@@" or "GIT binary patch". Stricter than git: all
/// names that stand in it must agree, and pairs of lines be complete. Raises data, and unsafe for modes.
FilePatch parse_file_header(LineReader& in);

}  // namespace torchpatch::patch
