// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/prove/run_proof.h"

#include "support/error.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::upkeep {

namespace {

/// Where a distribution puts its programs; what a user has put before them would make outcomes depend on the user.
const std::string kPath = "/usr/local/bin:/usr/bin:/bin";
constexpr std::chrono::seconds kVersionTimeout{10};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// The placeholders of a side, and what they stand for.
std::vector<std::pair<std::string, std::string>> places(const SideRun& side) {
  return {{"{tree}", side.directory + "/tree"},
          {"{proof}", side.directory + "/proof"},
          {"{work}", side.directory + "/work"}};
}

std::string with_paths(std::string text, const SideRun& side) {
  for (const auto& [placeholder, path] : places(side)) text = replaced(text, placeholder, path);
  return text;
}

std::string without_paths(std::string text, const SideRun& side) {
  for (const auto& [placeholder, path] : places(side)) text = replaced(text, path, placeholder);
  return text;
}

/// Nothing of our own environment: a proof has the same outcome for everyone who has its tools.
std::vector<std::pair<std::string, std::string>> environment_in(const std::string& home) {
  return {{"PATH", kPath}, {"HOME", home}, {"TMPDIR", home}, {"LC_ALL", "C"}, {"PYTHONDONTWRITEBYTECODE", "1"}};
}

ProgramRun program_of(const SideRun& side, const std::vector<std::string>& command) {
  const std::string work = side.directory + "/work";
  ProgramRun run;
  for (const std::string& argument : command) run.argv.push_back(with_paths(argument, side));
  if (const std::string found = find_program(run.argv.front(), kPath); !found.empty()) run.argv.front() = found;
  run.environment = environment_in(work);
  run.directory = work;
  run.timeout = std::chrono::seconds(side.proof->limits.seconds);
  run.limits.cpu = run.timeout;
  run.limits.address_space = static_cast<std::uint64_t>(side.proof->limits.memory_mib) << 20;
  return run;
}

void add_result(const ProgramResult& result, const SideRun& side, ProofSide& outcome) {
  outcome.exit = result.exit_code;
  outcome.output += without_paths(result.out + result.err, side);
  if (result.timed_out) outcome.output += concat("stopped after ", side.proof->limits.seconds, " seconds\n");
}

}  // namespace

ProofWorkshop::ProofWorkshop(const std::string& keep, int jobs) : path_(absolute_path(keep)), jobs_(jobs) {
  if (keep.empty()) {
    temporary_ = std::make_unique<TempDir>();
    path_ = temporary_->path();
    return;
  }
  make_directories(path_);
  if (list_directory(path_).empty()) return;
  throw Error(ErrorKind::usage, concat("keeping the trees in ", quote(keep), ": it is not empty"),
              "name a directory that is empty or not there");
}

std::string ProofWorkshop::place(const ProofJob& job, const char* side) const {
  return concat(path_, "/", job.release->version.text(), "/", job.patchset->id, "/", job.proof->id, "/", side);
}

void ProofWorkshop::write(const ProofJob& job, const char* side, const std::vector<tree::FileToWrite>& files) const {
  const std::string directory = place(job, side);
  NullConsole quiet;  // a few files, many times
  for (const char* name : {"/tree", "/proof", "/work"}) make_directories(directory + name);
  tree::write_files(directory + "/tree", files, {.object_folders = {}, .jobs = jobs_, .limits = {}}, quiet);
  for (const auto& [path, bytes] : job.patchset->proof.files) {
    const std::string file = concat(directory, "/proof/", path);
    make_directories(parent_path(file));
    write_file_atomically(file, bytes);
  }
}

void ProofWorkshop::clear(const ProofJob& job, const char* side) const {
  if (temporary_) remove_tree(place(job, side));
}

std::vector<ProofSide> run_sides(const std::vector<SideRun>& sides, int jobs) {
  std::vector<ProofSide> outcomes(sides.size());
  for (std::size_t step = 0;; ++step) {
    std::vector<std::size_t> running;
    std::vector<ProgramRun> programs;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (outcomes[i].exit != 0 || step >= sides[i].proof->commands.size()) continue;
      running.push_back(i);
      programs.push_back(program_of(sides[i], sides[i].proof->commands[step]));
    }
    if (running.empty()) return outcomes;
    const std::vector<ProgramResult> results = run_programs(programs, jobs);
    for (std::size_t i = 0; i < running.size(); ++i) add_result(results[i], sides[running[i]], outcomes[running[i]]);
  }
}

ProofVerdict judge(const Proof& proof, const ProofSide& before, const ProofSide& after) {
  const bool is_red = before.exit != 0 && before.output.find(proof.red) != std::string::npos;
  if (!is_red) return ProofVerdict::not_red;
  return after.exit == 0 ? ProofVerdict::proven : ProofVerdict::not_green;
}

bool ToolBox::has(const std::string& tool) const { return !find_program(tool, kPath).empty(); }

const std::string& ToolBox::version(const std::string& tool) {
  const auto [known, is_new] = versions_.emplace(tool, "");
  if (is_new) {
    const ProgramResult result =
        run_program({{find_program(tool, kPath), "--version"}, environment_in("/"), "/", kVersionTimeout, {}});
    const std::string first = split(result.out, '\n').front();
    if (result.exit_code == 0 && is_valid_utf8(first)) known->second = trim(first);
  }
  return known->second;
}

}  // namespace torchpatch::upkeep
