// SPDX-License-Identifier: BSD-3-Clause
#include "cli/environment.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "cli/command.h"
#include "document/document.h"
#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/signals.h"
#include "support/text.h"

namespace torchpatch::cli {

std::string Environment::variable(const std::string& name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

std::string Environment::directory(const std::string& name, const std::string& fallback) const {
  const std::string named = variable(name), home = variable("HOME");
  if (starts_with(named, "/")) return named + "/torchpatch";
  return home.empty() ? "" : concat(home, fallback, "/torchpatch");
}

std::string Environment::today() const {
  const auto epoch = parse_decimal(variable("SOURCE_DATE_EPOCH"));
  return day_text(epoch ? static_cast<std::int64_t>(*epoch) : std::time(nullptr));
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
  } catch (const Error&) {  // data_directory() says so, where it matters
  }
  environment.err_is_terminal = isatty(STDERR_FILENO) == 1;
  environment.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) environment.out_width = size.ws_col;
  return environment;
}

void secure_standard_streams() {
  // open() takes the lowest free number, so going upwards each call fills the gap it is for.
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
              named.empty() ? "set TORCHPATCH_DATA to the directory that holds releases/, boards/ and patchsets/"
                            : "TORCHPATCH_DATA names a directory that holds releases/, boards/ and patchsets/");
}

}  // namespace torchpatch::cli
