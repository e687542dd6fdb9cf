// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>
#include <ostream>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "report/shown.h"
#include "support/error.h"
#include "support/file.h"
#include "support/signals.h"
#include "support/text.h"
#include "support/version.h"

namespace torchpatch::cli {

namespace {

std::int64_t milliseconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

bool use_color(const std::string& choice, bool is_terminal, const Environment& environment) {
  if (choice != "auto") return choice == "always";
  return is_terminal && environment.variable("NO_COLOR").empty() && environment.variable("TERM") != "dumb";
}

/// The options as they are known before the command line is parsed: errors in it are coloured, too.
std::string color_option(const std::vector<std::string>& args) {
  for (const char* choice : {"always", "never"}) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i] == concat("--color=", choice)) return choice;
      if (args[i] == "--color" && i + 1 < args.size() && args[i + 1] == choice) return choice;
    }
  }
  return "auto";
}

std::string typed(const std::vector<std::string>& args) {
  std::string line = "torchpatch";
  for (const std::string& arg : args) line += " " + shell_quote(arg);
  return line;
}

/// Whether the line asks for JSON, also where it cannot be parsed.
bool asks_for_json(const std::vector<std::string>& args) {
  const auto options_end = std::ranges::find(args, "--");
  return std::find(args.begin(), options_end, "--json") != options_end;
}

/// Says what ended the run: to people on stderr and, where JSON is asked for and nothing was printed yet, to programs
/// on stdout. Returns the exit code.
int fail(const Error& error, bool as_json, TerminalConsole& console, const Context& context) {
  console.error(error);
  if (as_json && !context.has_printed) context.out << report_json(to_json(error, JsonForm::report)) << std::flush;
  return static_cast<int>(error.kind());
}

/// Help is easy to read in 80 columns, wherever it goes.
TextStyle help_style(const Context& context) {
  TextStyle style = text_style(context);
  style.width = style.width == 0 ? 80 : std::min<std::size_t>(style.width, 80);
  return style;
}

int run_line(const std::vector<std::string>& args, TerminalConsole& console, Context& context) {
  const CommandLine line = parse_command_line(args, command_table());
  console.set_quiet(line.globals.quiet);
  context.color = use_color(line.globals.color, context.environment.out_is_terminal, context.environment);
  if (line.globals.version && line.command == nullptr)
    print(context, concat("torchpatch ", kToolVersion, "\n"));
  else if (line.command == nullptr)
    print(context, blocks_text(program_help(describe_program(command_table())), help_style(context)));
  else if (line.globals.help)
    print(context, blocks_text(command_help(describe_command(*line.command)), help_style(context)));
  else
    return line.action(context);
  return kDone;
}

}  // namespace

record::RunReport begin_report(const Context& context) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  record::RunReport report;
  report.tool_version = kToolVersion;
  report.command_line = context.command_line;
  report.host = host.data();
  report.milliseconds = milliseconds_now();  // the start, until write_report() takes the difference
  report.started = report.milliseconds / 1000;
  return report;
}

void write_report(const record::RunReport& begun, const std::string& file, Context& context) {
  record::RunReport report = begun;
  report.milliseconds = milliseconds_now() - begun.milliseconds;
  if (!file.empty()) {
    try {
      return write_file_atomically(file, record::run_report_json(report));
    } catch (const Error& error) {
      throw Error(error.kind(), "the tree is written and whole, but the report of this run is not: " + error.message(),
                  "name another file with --report, or none");
    }
  }
  const std::string directory = context.environment.directory("XDG_STATE_HOME", "/.local/state");
  if (directory.empty()) return;
  try {
    make_directories(directory);
    const std::string name = concat(directory, "/prepare-", begun.milliseconds, "-", getpid(), ".json");
    write_file_atomically(name, record::run_report_json(report));
  } catch (const Error& error) {
    context.console.warning("no report of this run was kept: " + error.message());
  }
}

void print(Context& context, std::string_view text) {
  context.has_printed = true;
  errno = 0;
  context.out.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  if (context.out) return;
  if (errno == EPIPE) throw BrokenPipe();
  throw system_error("writing the result to standard output");
}

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, const Environment& environment) {
  TerminalConsole console(err, {.is_terminal = environment.err_is_terminal,
                                .color = use_color(color_option(args), environment.err_is_terminal, environment)});
  Context context{out, environment, console, typed(args)};
  const bool as_json = asks_for_json(args);
  try {
    return run_line(args, console, context);
  } catch (const Error& error) {
    return fail(error, as_json, console, context);
  } catch (const Interrupted& interrupted) {
    console.progress_done();
    return kSignalBase + interrupted.signal();
  } catch (const BrokenPipe&) {
    return kSignalBase + SIGPIPE;
  } catch (const std::bad_alloc&) {
    const Error error(ErrorKind::environment, "out of memory", "fewer --jobs need less");
    return fail(error, as_json, console, context);
  } catch (const std::exception& bug) {
    const Error error(ErrorKind::internal, bug.what(), "this is a bug in torchpatch: please report it");
    return fail(error, as_json, console, context);
  }
}

}  // namespace torchpatch::cli
