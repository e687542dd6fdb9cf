// SPDX-License-Identifier: BSD-3-Clause
#include "unit/report/out_tree.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "record/tree_scripts.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"
#include "unit/report/examples.h"

namespace torchpatch::test {
namespace {

std::string our_path() {
  const char* const path = std::getenv("PATH");
  return path == nullptr ? "/usr/bin:/bin" : path;
}

}  // namespace

OutTree::OutTree(const std::string& name) : manifest(example_manifest()), root_(temp_.path() + "/" + name) {
  manifest.executables.clear();
  manifest.links.clear();
  make_directories(root_);
}

void OutTree::add(const std::string& path, const std::string& bytes, bool is_executable) {
  write(path, bytes);
  set_mode(path, is_executable ? 0755 : 0644);
  sums_[path] = sha256(bytes);
  if (is_executable) manifest.executables.push_back(path);
}

void OutTree::add_link(const std::string& path, const std::string& target) {
  make_directories(parent_path(root_ + "/" + path));
  REQUIRE(symlink(target.c_str(), (root_ + "/" + path).c_str()) == 0);
  manifest.links.push_back({path, target});
}

void OutTree::seal(const std::vector<PlannedStep>& steps, const std::vector<std::string>& recipe) {
  const std::vector<std::string> executables = manifest.executables;
  add("torchpatch/check.sh", record::check_script(manifest, requirements), true);
  add("torchpatch/build.env", record::build_environment(manifest));
  add("torchpatch/build.sh", record::build_script(manifest, steps, recipe, requirements, scikit_build), true);
  manifest.executables = executables;
  write("torchpatch/SHA256SUMS", record::sums_text(sums_));
}

void OutTree::write(const std::string& path, const std::string& bytes) const {
  make_directories(parent_path(root_ + "/" + path));
  std::ofstream(root_ + "/" + path, std::ios::binary) << bytes;
}

void OutTree::set_mode(const std::string& path, unsigned mode) const {
  REQUIRE(chmod((root_ + "/" + path).c_str(), mode) == 0);
}

void OutTree::remove(const std::string& path) const { remove_tree(root_ + "/" + path); }

ProgramResult OutTree::run(const std::string& shell, const std::string& script,
                           const std::vector<std::string>& arguments, const Variables& variables,
                           const std::string& directory) const {
  ProgramRun run;
  run.argv = split(shell, ' ');
  run.argv.push_back(root_ + "/torchpatch/" + script);
  run.argv.insert(run.argv.end(), arguments.begin(), arguments.end());
  run.environment = {{"PATH", our_path()}, {"HOME", temp_.path()}, {"TMPDIR", temp_.path()}};
  for (const auto& [name, value] : variables) {
    if (name == "PATH") run.environment.erase(run.environment.begin());
    run.environment.emplace_back(name, value);
  }
  run.directory = directory;
  run.timeout = std::chrono::seconds(60);
  return run_program(run);
}

std::vector<std::string> script_shells() {
  INFO("needed here: apt-get install dash busybox");
  REQUIRE_FALSE(find_program("dash").empty());
  REQUIRE_FALSE(find_program("busybox").empty());
  return {find_program("dash"), find_program("busybox") + " sh", "bash"};
}

void check_with_shellcheck(const std::string& script) {
  INFO("needed here: apt-get install shellcheck");
  REQUIRE_FALSE(find_program("shellcheck").empty());
  const TempDir temp;
  write_file_atomically(temp.path() + "/script", script);
  const ProgramResult result = run_program(
      {{"shellcheck", "-s", "sh", temp.path() + "/script"}, {{"HOME", temp.path()}, {"LC_ALL", "C.UTF-8"}}, "", {}});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
}

}  // namespace torchpatch::test
