// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report_options.h"

#include "support/error.h"
#include "support/file.h"

namespace torchpatch::cli {

void declare_report_options(OptionSet& options, ReportOptions& target, const std::vector<std::string>& formats) {
  options.choice("--format", target.format, formats, "form of the report; default: " + formats.front());
  options.value("--output", target.output, "FILE", "write the report to FILE instead of printing it");
  options.flag("--json", target.json, "print JSON");
}

void check_report_options(const ReportOptions& options) {
  if (!options.json || options.format.empty()) return;
  throw Error(ErrorKind::usage, "--json and --format exclude each other", "leave one of them out");
}

void print_report(Context& context, const ReportOptions& options, const std::string& text) {
  if (options.output.empty()) {
    print(context, text);
  } else {
    write_file_atomically(options.output, text);
  }
}

}  // namespace torchpatch::cli
