// SPDX-License-Identifier: BSD-3-Clause
/// The program: command line in, exit code out. The only place that turns errors into exit codes.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/environment.h"

namespace torchpatch::cli {

/// Runs one command line (`args` without the program's name). The result goes to `out`, everything else to `err`.
/// Returns an exit code of exit_codes.h; 128+n where signal n ended the run (end_process() then dies of it). Raises
/// nothing.
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, const Environment& environment);

}  // namespace torchpatch::cli
