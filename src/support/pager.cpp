// SPDX-License-Identifier: BSD-3-Clause
#include "support/pager.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "support/file.h"
#include "support/program.h"
#include "support/signals.h"
#include "support/text.h"

namespace torchpatch {
namespace {

/// Nothing in it means anything to a shell.
bool is_plain(std::string_view command) {
  return command.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ./_+,:%@=-") ==
         std::string_view::npos;
}

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  for (std::string& word : split(command, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

/// Ignores a signal as long as it lives.
class Ignored {
 public:
  explicit Ignored(int signal) : signal_(signal) {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(signal_, &ignore, &before_);
  }
  ~Ignored() { ::sigaction(signal_, &before_, nullptr); }
  Ignored(const Ignored&) = delete;
  Ignored& operator=(const Ignored&) = delete;

 private:
  int signal_;
  struct sigaction before_ = {};
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Writes until all is written or the reader has gone.
void feed(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::optional<Pager> find_pager(const std::map<std::string, std::string>& variables) {
  const auto named = variables.find("PAGER");
  const std::string command = named == variables.end() ? "less" : std::string(trim(named->second));
  if (command.empty() || command == "cat") return std::nullopt;
  Pager pager;
  pager.argv = is_plain(command) ? words_of(command) : std::vector<std::string>{"/bin/sh", "-c", command};
  const auto path = variables.find("PATH");
  pager.argv[0] = find_program(pager.argv[0], path == variables.end() ? "/usr/bin:/bin" : path->second);
  if (pager.argv[0].empty()) return std::nullopt;
  std::map<std::string, std::string> environment = variables;
  environment.emplace("LESS", "FRX");
  environment.emplace("LV", "-c");
  pager.environment = {environment.begin(), environment.end()};
  return pager;
}

bool run_pager(const Pager& pager, std::string_view text) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  std::vector<std::string> argv = pager.argv, environment;
  for (const auto& [name, value] : pager.environment) environment.push_back(concat(name, "=", value));
  const std::vector<char*> arguments = pointers(argv), variables = pointers(environment);

  const Ignored interrupt(SIGINT), quit(SIGQUIT), broken_pipe(SIGPIPE);
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {  // only async-signal-safe calls
    restore_signal_handlers();
    ::signal(SIGQUIT, SIG_DFL);
    ::dup2(read_end.get(), STDIN_FILENO);
    ::execve(arguments[0], arguments.data(), variables.data());
    _exit(kProgramNotFound);
  }
  read_end.reset();
  feed(write_end.get(), text);
  write_end.reset();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return !(WIFEXITED(status) && WEXITSTATUS(status) == kProgramNotFound);
}

}  // namespace torchpatch
