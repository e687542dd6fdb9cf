// SPDX-License-Identifier: BSD-3-Clause
/// What the program's exit codes mean, for help, manual pages and docs/commands.md.
#pragma once

#include <string>
#include <vector>

namespace torchpatch::cli {

inline constexpr int kDone = 0;
inline constexpr int kFindings = 1;
/// Added to the number of the signal that ended the run.
inline constexpr int kSignalBase = 128;

struct ExitCode {
  std::string code;  ///< "2", "128+n"
  std::string meaning;
};

/// Returns all of them: 0, 1, each ErrorKind, signals.
std::vector<ExitCode> exit_codes();

}  // namespace torchpatch::cli
