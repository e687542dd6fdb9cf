// SPDX-License-Identifier: BSD-3-Clause
/// --format, --output and --json of commands that write reports.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/option_set.h"

namespace torchpatch::cli {

struct ReportOptions {
  std::string format;  ///< empty: the first one
  std::string output;  ///< file to write, or empty: stdout
  bool json = false;
};

/// The first of `formats` is the default.
void declare_report_options(OptionSet& options, ReportOptions& target, const std::vector<std::string>& formats);

/// Raises usage where --json and --format are both given.
void check_report_options(const ReportOptions& options);

/// Writes a report where it is wanted. Raises environment.
void print_report(Context& context, const ReportOptions& options, const std::string& text);

}  // namespace torchpatch::cli
