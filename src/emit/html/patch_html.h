// SPDX-License-Identifier: BSD-3-Clause
/// A patch as highlighted text.
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::emit {

/// Returns a git patch in a `<pre class="patch">`, each line in a `<span>` of its kind: head (the header and git's own
/// lines), file, hunk, added, removed or none; no line is left out. Kinds go by the counts of the hunks, so that a
/// removed line "-- x" is not taken for a file's name. kPatchCss has the colours.
std::string patch_html(std::string_view patch);

}  // namespace torchpatch::emit
