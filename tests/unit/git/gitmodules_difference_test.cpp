// SPDX-License-Identifier: BSD-3-Clause
// What our parser accepts, git accepts, and reads the same out of it: over the seeds of the fuzz target, and these with
// bytes changed.
#include <map>
#include <random>

#include "git/gitmodules.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::git {
namespace {

using Modules = std::map<std::string, std::pair<std::string, std::string>>;  ///< name → path and url

std::optional<Modules> read_ours(const std::string& bytes) {
  Modules modules;
  try {
    for (const Submodule& module : parse_gitmodules(bytes)) modules[module.name] = {module.path, module.url};
  } catch (const Error&) {
    return std::nullopt;
  }
  return modules;
}

ProgramRun listing_of(const std::string& file) {
  return {{"git", "config", "-f", file, "--list", "-z"}, {{"HOME", "/nonexistent"}, {"GIT_CONFIG_NOSYSTEM", "1"}}, "/"};
}

/// Reads "submodule.NAME.path\nVALUE" and NUL again and again.
Modules read_listing(const std::string& listing) {
  Modules modules;
  for (const std::string& entry : split(listing, '\0')) {
    const std::size_t end = entry.find('\n');
    const std::string key = entry.substr(0, end), value = end == entry.npos ? "" : entry.substr(end + 1);
    if (!starts_with(key, "submodule.")) continue;
    const std::size_t last = key.rfind('.');
    if (last < std::string_view("submodule.").size()) continue;
    auto& [path, url] = modules[key.substr(10, last - 10)];
    if (key.substr(last) == ".path") path = value;
    if (key.substr(last) == ".url") url = value;
  }
  std::erase_if(modules,
                [](const auto& module) { return module.second.first.empty() || module.second.second.empty(); });
  return modules;
}

std::vector<std::string> seeds() {
  const std::string directory = test::source_directory() + "/tests/fuzz/seeds/gitmodules";
  std::vector<std::string> texts;
  for (const std::string& name : list_directory(directory)) texts.push_back(read_file(directory + "/" + name));
  return texts;
}

/// Returns the seeds, and some of each in which one place has another piece of syntax.
std::vector<std::string> inputs() {
  constexpr int kChanges = 40;
  const std::vector<std::string> pieces = {"\"", "\\", "\n", "\r", "\t", " ", "#", ";",
                                           "[",  "]",  "=",  ".",  "x",  "-", ""};
  std::mt19937 random(2018'11235);
  const auto pick = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
  std::vector<std::string> all = seeds();
  REQUIRE(all.size() >= 20);
  for (const std::string& seed : std::vector<std::string>(all)) {
    for (int i = 0; i < kChanges && !seed.empty(); ++i) {
      std::string changed = seed;
      all.push_back(changed.replace(pick(seed.size()), pick(2), pieces[pick(pieces.size())]));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("parse_gitmodules: git reads the same out of what we accept", "[git]") {
  const TempDir directory;
  std::vector<ProgramRun> runs;
  std::vector<std::pair<std::string, Modules>> accepted;
  for (const std::string& input : inputs()) {
    const auto modules = read_ours(input);
    if (!modules) continue;
    const std::string file = concat(directory.path(), "/", accepted.size());
    write_file_atomically(file, input);
    runs.push_back(listing_of(file));
    accepted.emplace_back(input, *modules);
  }
  REQUIRE(accepted.size() >= 100);
  const std::vector<ProgramResult> results = run_programs(runs, 4);
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO(quote(accepted[i].first) << "\n" << results[i].err);
    CHECK(results[i].exit_code == 0);
    CHECK(read_listing(results[i].out) == accepted[i].second);
  }
}

}  // namespace torchpatch::git
