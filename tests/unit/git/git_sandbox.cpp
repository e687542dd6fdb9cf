// SPDX-License-Identifier: BSD-3-Clause
#include "unit/git/git_sandbox.h"

#include <unistd.h>

#include <cstdlib>

#include "support/catch.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::test {

namespace {

std::vector<std::pair<std::string, std::string>> environment(const std::string& home) {
  const char* path = std::getenv("PATH");
  return {{"PATH", path ? path : "/usr/bin:/bin"},
          {"HOME", home},
          {"LC_ALL", "C"},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_AUTHOR_NAME", "A"},
          {"GIT_AUTHOR_EMAIL", "a@example.org"},
          {"GIT_AUTHOR_DATE", "1556649600 +0000"},
          {"GIT_COMMITTER_NAME", "A"},
          {"GIT_COMMITTER_EMAIL", "a@example.org"},
          {"GIT_COMMITTER_DATE", "1556649600 +0000"}};
}

}  // namespace

std::string GitSandbox::git(const std::string& directory, const std::vector<std::string>& arguments) const {
  ProgramRun run;
  run.argv = {"git"};
  run.argv.insert(run.argv.end(), arguments.begin(), arguments.end());
  run.environment = environment(path());
  run.directory = path() + "/" + directory;
  const ProgramResult result = run_program(run);
  INFO("git " << join(arguments, " ") << ": " << result.err);
  REQUIRE(result.exit_code == 0);
  return std::string(trim(result.out));
}

std::string GitSandbox::init(const std::string& directory) const {
  make_directories(path() + "/" + directory);
  git(directory, {"init", "--quiet", "--initial-branch=main"});
  return path() + "/" + directory;
}

void GitSandbox::write(const std::string& file, const std::string& bytes) const {
  const std::string full = path() + "/" + file;
  make_directories(parent_path(full));
  write_file_atomically(full, bytes);
}

ObjectId GitSandbox::commit(const std::string& directory) const {
  git(directory, {"add", "--all"});
  git(directory, {"commit", "--quiet", "--allow-empty", "--message=test"});
  return id(directory, "HEAD");
}

void GitSandbox::stage_gitlink(const std::string& directory, const std::string& path, const ObjectId& commit) const {
  git(directory, {"update-index", "--add", "--cacheinfo", concat("160000,", commit.hex(), ",", path)});
  make_directories(this->path() + "/" + directory + "/" + path);
}

ObjectId GitSandbox::id(const std::string& directory, const std::string& revision) const {
  const auto id = ObjectId::parse(git(directory, {"rev-parse", revision}));
  REQUIRE(id);
  return *id;
}

std::string find_file(const std::string& directory, const std::string& suffix) {
  for (const std::string& name : list_directory(directory))
    if (ends_with(name, suffix)) return directory + "/" + name;
  FAIL("no file " << suffix << " in " << directory);
  return {};
}

void overwrite_file(const std::string& path, const std::string& bytes) {
  REQUIRE((unlink(path.c_str()) == 0));
  write_file_atomically(path, bytes);
}

}  // namespace torchpatch::test
