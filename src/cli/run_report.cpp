// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run_report.h"

#include <unistd.h>

#include <array>
#include <chrono>

#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/version.h"

namespace torchpatch::cli {
namespace {

std::int64_t milliseconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

/// Returns the directory of reports, or empty text where there is neither XDG_STATE_HOME nor a home. A relative
/// XDG_STATE_HOME is invalid (XDG Base Directory Specification).
std::string state_directory(const Environment& environment) {
  const std::string state = environment.variable("XDG_STATE_HOME");
  if (starts_with(state, "/")) return state + "/torchpatch";
  const std::string home = environment.variable("HOME");
  return home.empty() ? "" : home + "/.local/state/torchpatch";
}

}  // namespace

emit::RunReport begin_report(const Context& context) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  emit::RunReport report;
  report.tool_version = kToolVersion;
  report.command_line = context.command_line;
  report.host = host.data();
  report.milliseconds = milliseconds_now();  // the start, until write_report() takes the difference
  report.started = report.milliseconds / 1000;
  return report;
}

void write_report(const emit::RunReport& begun, const std::string& file, Context& context) {
  emit::RunReport report = begun;
  report.milliseconds = milliseconds_now() - begun.milliseconds;
  if (!file.empty()) {
    write_file_atomically(file, emit::run_report_json(report));
    return;
  }
  const std::string directory = state_directory(context.environment);
  if (directory.empty()) return;
  try {
    make_directories(directory);
    const std::string name = concat(directory, "/prepare-", begun.milliseconds, "-", getpid(), ".json");
    write_file_atomically(name, emit::run_report_json(report));
  } catch (const Error& error) {
    context.console.warning("no report of this run was kept: " + error.message());
  }
}

}  // namespace torchpatch::cli
