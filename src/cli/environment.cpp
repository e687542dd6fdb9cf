// SPDX-License-Identifier: BSD-3-Clause
#include "cli/environment.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "cli/command.h"
#include "support/error.h"
#include "support/file.h"
#include "support/signals.h"
#include "support/text.h"

namespace torchpatch::cli {

std::string Environment::variable(const std::string& name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) environment.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  std::error_code ignored;
  environment.executable = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  environment.err_is_terminal = isatty(STDERR_FILENO) == 1;
  environment.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) environment.out_width = size.ws_col;
  return environment;
}

std::vector<std::pair<std::string, std::string>> documented_variables() {
  return {{"TORCHPATCH_DATA", "directory of the shipped catalog, where it is not the installed one"},
          {"XDG_CACHE_HOME", "repositories fetched from the network are kept in its torchpatch/; default ~/.cache"},
          {"XDG_STATE_HOME", "reports of runs are kept in its torchpatch/; default ~/.local/state"},
          {"http_proxy, https_proxy, all_proxy, no_proxy", "proxies to fetch through; also in upper case"},
          {"GIT_SSL_CAINFO, CURL_CA_BUNDLE, SSL_CERT_FILE", "file of certificate authorities; the first that is set"},
          {"GIT_SSL_CAPATH, SSL_CERT_DIR", "directory of certificate authorities; the first that is set"},
          {"NO_COLOR", "not empty: no colour"},
          {"PAGER", "program that shows long results on a terminal; default less; empty or cat: none"}};
}

void secure_standard_streams() {
  // open() takes the lowest free number, so going upwards each call fills the gap it is for.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd) _exit(127);
  }
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
