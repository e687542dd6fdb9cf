// SPDX-License-Identifier: BSD-3-Clause
/// The report of one run of prepare: what varies by run and hence never goes into OUT.
#pragma once

#include <string>

#include "cli/command.h"
#include "emit/run/run_report.h"

namespace torchpatch::cli {

/// Returns a report that is begun now: command line, host, start.
emit::RunReport begin_report(const Context& context);

/// Writes the report to `file`; to a new file below $XDG_STATE_HOME/torchpatch where `file` is empty. Without a home
/// there is none. Raises environment where `file` cannot be written; for the default place that is a warning.
void write_report(const emit::RunReport& report, const std::string& file, Context& context);

}  // namespace torchpatch::cli
