// SPDX-License-Identifier: BSD-3-Clause
/// What holds for every finding.
#pragma once

#include "fuzz/harmless_text.h"
#include "fuzz/require.h"
#include "support/error.h"

namespace torchpatch::fuzz {

/// Each names a line of the file (or none), and shows nothing raw.
inline void check_findings(const Findings& findings, int first_line, int last_line) {
  for (const Finding& finding : findings.list()) {
    const bool is_in_file = finding.line >= first_line && finding.line <= last_line;
    require(finding.line == 0 || is_in_file, "a finding stands on a line of the file");
    require(!finding.file.empty() && !finding.message.empty(), "a finding says where and what");
    require(is_harmless(finding.text()), "a finding shows nothing raw");
  }
}

}  // namespace torchpatch::fuzz
