// SPDX-License-Identifier: BSD-3-Clause
#include "git/git_program.h"

#include <sys/stat.h>

#include <chrono>

#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

constexpr std::chrono::minutes kTimeout{10};

[[noreturn]] void refuse_trap(const std::string& path, const char* what) {
  throw Error(ErrorKind::unsafe, concat("git is not run: ", quote(path), " ", what),
              "another user may have created it; remove it, or start again in a new directory");
}

/// Sockets are allowed: they cannot be opened as files. Links in the work tree are content to git.
void refuse_traps_below(const std::string& directory, const std::string& repository, bool is_in_repository) {
  for (const std::string& name : list_directory(directory)) {
    const std::string path = concat(directory, "/", name);
    const mode_t type = type_at(path);
    const bool is_repository = path == repository;
    if (type == 0) continue;  // removed in the meantime
    if (name == ".git" && !is_repository) refuse_trap(path, "is a second repository");
    if (is_repository && type != S_IFDIR) refuse_trap(path, "is not a directory");
    if (type == S_IFLNK && is_in_repository) refuse_trap(path, "is a link");
    if (type == S_IFDIR)
      refuse_traps_below(path, repository, is_in_repository || is_repository);
    else if (type != S_IFREG && type != S_IFLNK && type != S_IFSOCK)
      refuse_trap(path, "is neither a file nor a directory");
  }
}

}  // namespace

bool has_git() { return !find_program("git").empty(); }

std::map<std::string, std::string> git_environment() {
  return {{"LC_ALL", "C"},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_CONFIG_GLOBAL", "/dev/null"},
          {"GIT_ATTR_NOSYSTEM", "1"},
          {"GIT_NO_REPLACE_OBJECTS", "1"},
          {"GIT_NO_LAZY_FETCH", "1"},
          {"GIT_ALLOW_PROTOCOL", "none"},
          {"GIT_TERMINAL_PROMPT", "0"}};
}

ProgramRun git_run(const std::vector<std::string>& arguments) {
  ProgramRun run;
  run.argv = {"git"};
  run.argv.insert(run.argv.end(), arguments.begin(), arguments.end());
  const std::map<std::string, std::string> environment = git_environment();
  run.environment.assign(environment.begin(), environment.end());
  run.timeout = kTimeout;
  run.limits.address_space = kMaxGitMemory;
  return run;
}

void refuse_traps(const std::string& directory, const std::string& repository) {
  for (const char* name : {"/commondir", "/objects/info/alternates"})
    if (type_at(repository + name) != 0) refuse_trap(repository + name, "points git to another repository");
  refuse_traps_below(directory, repository, directory == repository);
}

}  // namespace torchpatch::git
