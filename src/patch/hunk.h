// SPDX-License-Identifier: BSD-3-Clause
/// Parses one hunk of a text patch.
#pragma once

#include <optional>
#include <string_view>

#include "patch/line_reader.h"
#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Returns a hunk without lines, made of "@@ -1,2 +1,3 @@ section"; nothing where the line is not exactly that. Numbers
/// have no sign and are below 2^31 (git lets larger ones wrap, and then finds the hunk elsewhere).
std::optional<Hunk> parse_hunk_header(std::string_view line);

/// Reads the hunk whose header is the current line, and leaves `in` behind it. Raises data where header and lines
/// disagree, the text breaks off, nothing changes, or a line without newline is not the last of its side.
Hunk parse_hunk(LineReader& in);

}  // namespace torchpatch::patch
