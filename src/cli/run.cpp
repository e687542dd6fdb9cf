// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <new>
#include <ostream>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/terminal.h"
#include "document/document.h"
#include "report/shown.h"  // of Error
#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

bool use_color(const std::string& choice, bool is_terminal, const Environment& environment) {
  if (choice != "auto") return choice == "always";
  return is_terminal && environment.variable("NO_COLOR").empty() && environment.variable("TERM") != "dumb";
}

/// Returns the --color option before the command line is parsed, so that parse errors are coloured too.
std::string color_option(const std::vector<std::string>& args) {
  for (const char* choice : {"always", "never"}) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i] == concat("--color=", choice)) return choice;
      if (args[i] == "--color" && i + 1 < args.size() && args[i + 1] == choice) return choice;
    }
  }
  return "auto";
}

/// Reports the error: on stderr for people, and if JSON was requested and nothing printed yet, on stdout for programs.
/// Returns the exit code.
int fail(const Error& error, bool as_json, TerminalConsole& console, const Context& context) {
  console.error(error);
  if (as_json && !context.has_printed) context.out << report_json(to_json(error, JsonForm::report)) << std::flush;
  return static_cast<int>(error.kind());
}

/// Help is limited to 80 columns, which are easy to read, for any output.
TextStyle help_style(const Context& context) {
  TextStyle style = text_style(context);
  style.width = style.width == 0 ? 80 : std::min<std::size_t>(style.width, 80);
  return style;
}

int run_line(const std::vector<std::string>& args, TerminalConsole& console, Context& context) {
  const CommandLine line = parse_command_line(args, command_table());
  console.set_quiet(line.quiet);
  if (!line.warning.empty()) console.warning(line.warning);
  context.color = use_color(line.color, context.environment.out_is_terminal, context.environment);
  if (line.version && line.command == nullptr)
    print(context, concat("torchpatch ", kToolVersion, "\n"));
  else if (line.command == nullptr)
    print(context, blocks_text(program_help(describe_program(command_table())), help_style(context)));
  else if (line.help)
    print(context, blocks_text(command_help(describe_command(*line.command)), help_style(context)));
  else
    return line.action(context);
  return kDone;
}

}  // namespace

std::string Environment::variable(const std::string& name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

std::string Environment::directory(const std::string& name, const std::string& fallback) const {
  const std::string named = variable(name), home = variable("HOME");
  if (starts_with(named, "/")) return named + "/torchpatch";
  return starts_with(home, "/") ? concat(home, fallback, "/torchpatch") : "";
}

std::string Environment::today() const {
  constexpr std::uint64_t kLatest = 253402300799;  // end of the year 9999, the last with four digits
  const std::string said = variable("SOURCE_DATE_EPOCH");
  if (said.empty()) return day_text(std::time(nullptr));
  const auto epoch = parse_decimal(said);
  if (epoch && *epoch <= kLatest) return day_text(static_cast<std::int64_t>(*epoch));
  throw Error(ErrorKind::usage, concat("SOURCE_DATE_EPOCH is ", quote(said), ", not a number of seconds since 1970"));
}

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) environment.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  try {
    environment.executable = own_program();
  } catch (const Error&) {  // data_directory() reports it if needed
  }
  environment.in_is_terminal = isatty(STDIN_FILENO) == 1;
  environment.err_is_terminal = isatty(STDERR_FILENO) == 1;
  environment.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) environment.out_width = size.ws_col;
  return environment;
}

void secure_standard_streams() {
  // open() returns the lowest free number, so each call in ascending order fills its own gap.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd) _exit(127);
}

int end_process(int code) {
  if (code <= kSignalBase) return code;
  restore_signal_handlers();
  std::raise(code - kSignalBase);
  return code;
}

std::string data_directory(const Environment& environment) {
  const std::string named = environment.variable("TORCHPATCH_DATA");
  std::string directory =
      named.empty() ? parent_path(environment.executable) + "/" TORCHPATCH_DATA_FROM_PROGRAM : named;
  if (is_directory(directory + "/releases")) return directory;
  throw Error(ErrorKind::environment, concat("looking for the catalog: ", quote(directory), " has no releases/"),
              named.empty() ? "set TORCHPATCH_DATA to the directory that contains releases/, boards/ and patchsets/"
                            : "TORCHPATCH_DATA must be a directory that contains releases/, boards/ and patchsets/");
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
                                .color = use_color(color_option(args), environment.err_is_terminal, environment),
                                .width = environment.out_width});
  Context context{out, environment, console, "torchpatch"};
  for (const std::string& arg : args) context.command_line += " " + shell_quote(arg);
  const auto options_end = std::ranges::find(args, "--");  // of a command line that may fail to parse
  const bool as_json = std::find(args.begin(), options_end, "--json") != options_end;
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
    const Error error(ErrorKind::environment, "out of memory", "use fewer --jobs");
    return fail(error, as_json, console, context);
  } catch (const std::exception& bug) {
    const Error error(ErrorKind::internal, bug.what(), "this is a bug in torchpatch: please report it");
    return fail(error, as_json, console, context);
  }
}

}  // namespace torchpatch::cli
