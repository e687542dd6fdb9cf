// SPDX-License-Identifier: BSD-3-Clause
/// The header of a patch file: DEP-3 fields (https://dep-team.pages.debian.net/deps/dep3/) and an SPDX licence line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::patch {

struct HeaderField {
  std::string name;   ///< as it is spelled: "Last-Update"
  std::string value;  ///< continuation lines joined by newlines, without their first space
  int line = 0;       ///< 1-based
};

struct PatchHeader {
  std::vector<HeaderField> fields;  ///< in order; a comment "# SPDX-License-Identifier: …" counts as a field
  /// The first line that is neither a field nor a comment; 0 = none.
  int stray_line = 0;

  /// Returns the first field of this name, in any case of letters, or null.
  const HeaderField* find(std::string_view name) const;
};

/// Parses the header at the beginning of a patch's preamble; it ends at an empty line, at "---" or with the text. The
/// "From" line of a mail is skipped.
PatchHeader parse_header(std::string_view preamble);

}  // namespace torchpatch::patch
