// SPDX-License-Identifier: BSD-3-Clause
/// The report of one run of prepare: what varies by run and hence never goes into OUT.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/environment.h"
#include "record/run_report.h"

namespace torchpatch::cli {

/// Returns a report that is begun now: command line, host, start.
record::RunReport begin_report(const Context& context);

/// Writes the report to `file`; to a new file below $XDG_STATE_HOME/torchpatch where `file` is empty. Without a home
/// there is none. Raises environment where `file` cannot be written; for the default place that is a warning.
void write_report(const record::RunReport& report, const std::string& file, Context& context);

// The program: command line in, exit code out. The only place that turns errors into exit codes.

/// Runs one command line (`args` without the program's name). The result goes to `out`, everything else to `err`.
/// Returns an exit code (command.h); 128+n where signal n ended the run (end_process() then dies of it). Raises
/// nothing.
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, const Environment& environment);

}  // namespace torchpatch::cli
