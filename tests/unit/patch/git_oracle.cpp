// SPDX-License-Identifier: BSD-3-Clause
#include "unit/patch/git_oracle.h"

#include <cstdlib>
#include <stdexcept>

#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::patch {

Listing listing_of(const Tree& tree) {
  Listing listing;
  for (const auto& [path, file] : tree) {
    const std::string id = file.mode == FileMode::gitlink ? file.bytes : git_blob_id(file.bytes).hex();
    listing[path] = {name_of(file.mode), id};
  }
  return listing;
}

GitOracle::GitOracle() { run_well({"init", "--quiet", "--bare", temp_.path()}, "none"); }

ProgramResult GitOracle::run(const std::vector<std::string>& arguments, const std::string& index) {
  ProgramRun program;
  program.argv = {"git"};
  program.argv.insert(program.argv.end(), arguments.begin(), arguments.end());
  const char* path = std::getenv("PATH");
  program.environment = {{"PATH", path ? path : "/usr/bin:/bin"},
                         {"HOME", temp_.path()},
                         {"GIT_DIR", temp_.path()},
                         {"GIT_INDEX_FILE", index},
                         {"GIT_CONFIG_NOSYSTEM", "1"},
                         {"GIT_CONFIG_GLOBAL", "/dev/null"},
                         {"LC_ALL", "C"}};
  program.directory = temp_.path();
  return run_program(program);
}

std::string GitOracle::run_well(const std::vector<std::string>& arguments, const std::string& index) {
  const ProgramResult result = run(arguments, index);
  if (result.exit_code != 0) throw std::runtime_error(concat("git ", join(arguments, " "), ": ", result.err));
  return result.out;
}

std::string GitOracle::index_of(const Tree& tree) {
  const Listing listing = listing_of(tree);
  std::string& index = indexes_[listing];
  if (!index.empty()) return index;
  index = concat(temp_.path(), "/index-", indexes_.size());
  std::vector<std::string> blobs = {"hash-object", "-w", "--no-filters", "--"};
  std::vector<std::string> entries = {"update-index", "--add"};
  for (const auto& [path, file] : tree) {
    const auto& [mode, id] = listing.at(path);
    entries.insert(entries.end(), {"--cacheinfo", concat(mode, ",", id, ",", path)});
    if (file.mode == FileMode::gitlink) continue;
    blobs.push_back(concat(temp_.path(), "/blob-", id));
    write_file_atomically(blobs.back(), file.bytes);
  }
  if (blobs.size() > 4) run_well(blobs, index);
  run_well(entries, index);
  return index;
}

std::string GitOracle::diff(const Tree& before, const Tree& after, const std::vector<std::string>& options) {
  const auto tree_id = [&](const Tree& tree) {
    return std::string(trim(run_well({"write-tree", "--missing-ok"}, index_of(tree))));
  };
  std::vector<std::string> arguments = {"diff-tree", "-p", "-r", "--binary", "--full-index"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {tree_id(before), tree_id(after)});
  return run_well(arguments, "none");
}

GitOracle::Verdict GitOracle::apply(const Tree& before, const std::string& patch) {
  const std::string index = temp_.path() + "/index";
  const std::string file = temp_.path() + "/patch";
  write_file_atomically(index, read_file(index_of(before)));
  write_file_atomically(file, patch);
  const ProgramResult result = run({"apply", "--cached", "-v", "--whitespace=nowarn", file}, index);
  Verdict verdict;
  verdict.accepts = result.exit_code == 0;
  verdict.moved = result.err.find("(offset") != std::string::npos;
  verdict.message = result.err;
  if (!verdict.accepts) return verdict;
  for (const std::string& entry : split(run_well({"ls-files", "-s", "-z"}, index), '\0')) {
    if (entry.empty()) continue;
    const std::size_t tab = entry.find('\t');
    const std::vector<std::string> fields = split(entry.substr(0, tab), ' ');
    verdict.listing[entry.substr(tab + 1)] = {fields[0], fields[1]};
  }
  return verdict;
}

}  // namespace torchpatch::patch
