// SPDX-License-Identifier: BSD-3-Clause
/// What a reviewer should look at twice in a patch: rules over its text alone, each of which says why it spoke. A risk
/// is no fault; it is a place where a harmful change would stand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "patch/patch_file.h"

namespace torchpatch::patch {

enum class RiskKind {
  build_script,     ///< changes what runs at build time
  network,          ///< adds a line that names a host or fetches something
  executable_bit,   ///< makes a file executable, or takes that away
  binary,           ///< content that no one can read here
  link,             ///< creates or changes a symbolic link
  gitlink,          ///< changes which commit a submodule is at
  generated,        ///< changes a file that a program writes, so that the change may be lost
  hidden_text,      ///< adds characters that do not show or that reorder what is read (CVE-2021-42574)
  whitespace_only,  ///< a hunk that changes blanks alone
  unexplained,      ///< a hunk that shares no word with the description
};

/// Returns the name of a kind in reports: "build-script".
const char* risk_name(RiskKind kind);

struct Risk {
  RiskKind kind = RiskKind::build_script;
  std::string path;        ///< of the file, as the patch has it
  std::uint32_t line = 0;  ///< 1-based in the new file, of a removal in the old one; 0 = the whole file
  std::string why;         ///< lower case, no final period
  bool operator==(const Risk&) const = default;
};

/// Returns the risks of a patch, file by file in the order of the rules above.
std::vector<Risk> find_risks(const PatchFile& patch);

}  // namespace torchpatch::patch
