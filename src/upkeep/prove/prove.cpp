// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/prove/prove.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/repository_path.h"
#include "patch/apply.h"
#include "patch/patch_file.h"
#include "source/closure/pinned_lookup.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/fields.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"
#include "support/wire.h"
#include "tree/write_files.h"
#include "trees/prepare/patch_chains.h"
#include "upkeep/certify/certify.h"

namespace torchpatch::upkeep {

namespace {

constexpr std::size_t kMaxOutput = 4000;
/// The distribution's programs; anything the user puts before them would make outcomes depend on the user.
const std::string kPath = "/usr/local/bin:/usr/bin:/bin";
constexpr std::chrono::seconds kVersionTimeout{10};

/// A proof to run for one release.
struct ProofJob {
  const Release* release = nullptr;
  const Patchset* patchset = nullptr;
  const Variant* variant = nullptr;
  const Proof* proof = nullptr;

  /// Returns "proof 'limits' of cuda-threads at 1.1.0".
  std::string name() const {
    return concat("proof ", quote(proof->id), " of ", patchset->id, " at ", release->version.text());
  }
};

/// The input of a proof: the parts of the pinned tree that it reads, at their paths in OUT, without and with one
/// variant's patches. Both sides include the files that the patches touch, so that they differ only by the patches.
struct ProofTrees {
  std::string problem;  ///< a path that the proof reads is not in the pins; or empty
  std::map<std::string, patch::TreeFile> before, after;
};
FIELDS(ProofTrees, problem, before, after)

std::string out_path(const RepositoryPath& repository, const std::string& path) {
  return repository_directory(repository) + "/" + path;
}

/// Adds the parts of the pinned tree that a proof reads; returns the problem, or empty text.
std::string read_parts(const ProofJob& job, const std::vector<SubmoduleOverride>& overrides,
                       source::PinnedLookup& lookup, std::map<std::string, patch::TreeFile>& files) {
  for (const ProofPart& part : job.proof->tree) {
    const std::string reading = concat("reading the tree for ", job.name(), ": ");
    const auto* const repository = lookup.find_repository(*job.release, part.repository, overrides);
    if (!repository) return concat(reading, "the pins have no repository ", quote(part.repository.text()));
    const std::vector<std::string> whole = {""};
    for (const std::string& path : part.paths.empty() ? whole : part.paths) {
      std::vector<source::PinnedEntry> entries;
      const auto entry = path.empty() ? std::nullopt : lookup.find(*repository, path);
      if (!entry && !path.empty()) return concat(reading, part.repository.text(), " has nothing at ", quote(path));
      if (entry && entry->mode != FileMode::directory)
        entries.push_back(*entry);
      else
        entries = lookup.list(*repository, path);
      for (const source::PinnedEntry& each : entries)
        if (each.mode != FileMode::gitlink)  // a separate part, if the proof needs it
          files[out_path(part.repository, each.path)] = {each.mode, lookup.read_blob(*repository, each)};
    }
  }
  return {};
}

/// Reads and patches both sides, in a worker. Raises as PinnedLookup; patch if a patch does not apply.
ProofTrees read_proof_trees(const ProofJob& job, source::PinnedLookup& lookup) {
  ProofTrees trees;
  const std::vector<SubmoduleOverride>& overrides = job.variant->overrides;
  trees.problem = read_parts(job, {}, lookup, trees.before);
  if (trees.problem.empty()) trees.problem = read_parts(job, overrides, lookup, trees.after);
  if (!trees.problem.empty()) return trees;

  std::map<RepositoryPath, std::vector<patch::PatchStep>> series;
  for (const Patch& patch : job.variant->patches) {
    const std::string name = job.patchset->id + "/" + patch.file;
    series[patch.repository].push_back({name, patch.repository, patch::parse_patch(patch.text, name), {}});
  }
  for (const auto& [repository, steps] : series) {
    const auto* const without = lookup.find_repository(*job.release, repository);
    const auto* const with = lookup.find_repository(*job.release, repository, overrides);
    if (!without || !with) {
      trees.problem =
          concat("reading the tree for ", job.name(), ": the pins have no repository ", quote(repository.text()));
      return trees;
    }
    trees::LookupFiles pinned(lookup, *without), files(lookup, *with);
    for (const auto& [path, file] : patch::apply_series(steps, repository, files).changes) {
      const std::string place = out_path(repository, path);
      if (const auto before = pinned.read(path)) trees.before.emplace(place, *before);
      trees.after.erase(place);
      if (file) trees.after[place] = *file;
    }
  }
  for (const AddedFile& file : job.variant->files)
    trees.after[out_path(file.repository, file.path)] = {file.mode(), file.bytes};
  return trees;
}

/// Writes tree/, proof/ and an empty work/ for one side. Raises source if `side` is from a worker damaged by a hostile
/// object.
void write_side(const ProofJob& job, std::map<std::string, patch::TreeFile> side, const std::string& directory,
                int jobs) {
  std::vector<tree::FileToWrite> files;
  for (auto& [path, file] : side) {
    if (output_path_problem(path) || file.mode == FileMode::directory) WireReader::refuse();
    const ObjectId blob = git_blob_id(file.bytes);
    files.push_back({.path = path, .mode = file.mode, .blob = blob, .bytes = std::move(file.bytes)});
  }
  for (const char* name : {"/tree", "/proof", "/work"}) make_directories(directory + name);
  NullConsole quiet;  // a few files, many times
  tree::write_files(directory + "/tree", files, {.object_folders = {}, .jobs = jobs, .limits = {}}, quiet);
  for (const auto& [path, bytes] : job.patchset->proof.files) {
    const std::string file = concat(directory, "/proof/", path);
    make_directories(parent_path(file));
    write_file_atomically(file, bytes);
  }
}

/// One side of a proof, in a directory with tree/, proof/ and work/.
struct SideRun {
  const Proof* proof = nullptr;
  std::string directory;
  int exit = 0;          ///< of the first command that failed, or 0
  std::string output{};  ///< of all commands
};

/// Replaces {tree}, {proof} and {work} by the paths of a side, or vice versa.
std::string with_places(std::string text, const SideRun& side, bool is_to_paths) {
  for (const char* const name : {"tree", "proof", "work"}) {
    const std::string placeholder = concat("{", name, "}"), path = concat(side.directory, "/", name);
    const std::string &from = is_to_paths ? placeholder : path, &to = is_to_paths ? path : placeholder;
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

/// Nothing from our environment: a proof has the same outcome for everyone who has its tools.
std::vector<std::pair<std::string, std::string>> environment_in(const std::string& home) {
  return {{"PATH", kPath}, {"HOME", home}, {"TMPDIR", home}, {"LC_ALL", "C"}, {"PYTHONDONTWRITEBYTECODE", "1"}};
}

/// Runs the commands of each side until one fails, at most `jobs` programs at a time, in the side's work/, without a
/// shell, with a fixed environment and limits. Raises environment if no process can be started.
void run_sides(std::vector<SideRun>& sides, int jobs) {
  for (std::size_t step = 0;; ++step) {
    std::vector<SideRun*> running;
    std::vector<ProgramRun> programs;
    for (SideRun& side : sides) {
      if (side.exit != 0 || step >= side.proof->commands.size()) continue;
      running.push_back(&side);
      ProgramRun run;
      for (const std::string& argument : side.proof->commands[step])
        run.argv.push_back(with_places(argument, side, true));
      if (const std::string found = find_program(run.argv.front(), kPath); !found.empty()) run.argv.front() = found;
      run.directory = side.directory + "/work";
      run.environment = environment_in(run.directory);
      run.timeout = run.limits.cpu = std::chrono::seconds(side.proof->seconds);
      run.limits.address_space = static_cast<std::uint64_t>(side.proof->memory_mib) << 20;
      programs.push_back(std::move(run));
    }
    if (running.empty()) return;
    const std::vector<ProgramResult> results = run_programs(programs, jobs);
    for (std::size_t i = 0; i < running.size(); ++i) {
      SideRun& side = *running[i];
      side.exit = results[i].exit_code;
      side.output += with_places(results[i].out + results[i].err, side, false);
      if (results[i].timed_out) side.output += concat("stopped after ", side.proof->seconds, " seconds\n");
    }
  }
}

/// Returns the end of an output, which explains a failure, from the start of a line.
std::string end_of(const std::string& text) {
  if (text.size() <= kMaxOutput) return text;
  const std::size_t line = text.find('\n', text.size() - kMaxOutput);
  return text.substr(line == text.npos ? text.size() - kMaxOutput : line + 1);
}

/// Adds a line unless it is already there.
void add_once(NotProven line, std::vector<NotProven>& lines) {
  const auto is_same = [&](const NotProven& other) {
    return std::tie(other.patchset, other.release, other.why) == std::tie(line.patchset, line.release, line.why);
  };
  if (std::ranges::none_of(lines, is_same)) lines.push_back(std::move(line));
}

/// Returns the proofs for a release, for those patchsets that have a variant for it; one without a proof becomes a line
/// of `unproven`, with the reason and its releases.
std::vector<ProofJob> proof_jobs(const Release& release, const std::vector<const Patchset*>& patchsets,
                                 std::vector<NotProven>& unproven) {
  std::vector<ProofJob> jobs;
  const auto holds = [&](const auto& each) { return each.releases.contains(release.version); };
  for (const Patchset* patchset : patchsets) {
    const Variant* variant = variant_made_for(*patchset, release.version);
    if (!variant) continue;
    const std::size_t before = jobs.size();
    for (const Proof& proof : patchset->proof.proofs)
      if (holds(proof)) jobs.push_back({&release, patchset, variant, &proof});
    if (jobs.size() > before) continue;
    const auto known = std::ranges::find_if(patchset->proof.unproven, holds);
    add_once(known == patchset->proof.unproven.end()
                 ? NotProven{patchset->id, release.version.text(), "no proof has been written"}
                 : NotProven{patchset->id, known->releases.text(), known->why},
             unproven);
  }
  return jobs;
}

class Prover {
 public:
  Prover(const Catalog& catalog, source::ObjectSource& source, const ProveOptions& options, Console& console)
      : catalog_(catalog), source_(source), options_(options), console_(console) {
    if (options.keep.empty()) return;
    root_ = absolute_path(options.keep);
    make_directories(root_);
    if (!list_directory(root_).empty())
      throw Error(ErrorKind::usage, concat("keeping the trees in ", quote(options.keep), ": it is not empty"),
                  "choose an empty or new directory");
  }

  ProveReport run() {
    std::vector<const Patchset*> patchsets;
    for (const std::string& id : options_.patchsets) patchsets.push_back(&catalog_.patchset(id));
    if (options_.patchsets.empty())
      for (const auto& [id, patchset] : catalog_.patchsets) patchsets.push_back(&patchset);
    for (const Release* release : chosen_releases(catalog_, options_.releases)) prove_release(*release, patchsets);
    std::ranges::sort(report_.proofs, [](const ProofOutcome& a, const ProofOutcome& b) {
      return std::tie(a.patchset, a.release, a.proof) < std::tie(b.patchset, b.release, b.proof);
    });
    return std::move(report_);
  }

 private:
  /// Returns the directory of one side ("before" or "after").
  std::string place(const ProofJob& job, const char* side) const {
    return concat(root_, "/", job.release->version.text(), "/", job.patchset->id, "/", job.proof->id, "/", side);
  }

  void prove_release(const Release& release, const std::vector<const Patchset*>& patchsets) {
    std::vector<ProofJob> jobs;
    for (const ProofJob& job : proof_jobs(release, patchsets, report_.unproven)) {
      ProofOutcome outcome = outcome_of(job);
      if (outcome.missing_tools.empty()) {
        jobs.push_back(job);
        continue;
      }
      outcome.verdict = ProofVerdict::no_tool;
      report_.proofs.push_back(std::move(outcome));
    }
    if (jobs.empty()) return;
    console_.status(
        concat("proving ", release.version.text(), ": ", jobs.size(), jobs.size() == 1 ? " proof" : " proofs"));
    const auto task = [&jobs](source::PinnedLookup& lookup, std::size_t item) {
      return to_wire(read_proof_trees(jobs[item], lookup));
    };
    const std::vector<source::LookupResult> results =
        source::run_lookups(jobs.size(), task, catalog_.moved_repositories, source_, options_.jobs, console_);
    std::vector<ProofJob> ready;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!results[i].missing.empty()) {
        note_missing(jobs[i], source::missing_text(results[i].missing.front()));
        continue;
      }
      auto trees = from_wire<ProofTrees>(results[i].bytes);
      if (!trees.problem.empty()) {
        if (!options_.notes_absent) throw Error(ErrorKind::data, trees.problem);
        report_.unproven.push_back({jobs[i].patchset->id, release.version.text(), trees.problem});
        continue;
      }
      write_side(jobs[i], std::move(trees.before), place(jobs[i], "before"), options_.jobs);
      write_side(jobs[i], std::move(trees.after), place(jobs[i], "after"), options_.jobs);
      ready.push_back(jobs[i]);
    }
    run_jobs(ready);
  }

  ProofOutcome outcome_of(const ProofJob& job) {
    ProofOutcome outcome;
    outcome.patchset = job.patchset->id;
    outcome.proof = job.proof->id;
    outcome.release = job.release->version;
    outcome.variant = job.variant->id;
    outcome.subject = proof_subject(*job.release, *job.variant, *job.proof, job.patchset->proof);
    for (const std::string& tool : job.proof->tools)
      if (find_program(tool, kPath).empty())
        outcome.missing_tools.push_back(tool);
      else
        outcome.tools[tool] = version_of(tool);
    return outcome;
  }

  /// Returns the first line of `tool --version`, or empty text if it prints nothing. Each tool is run once.
  const std::string& version_of(const std::string& tool) {
    const auto [known, is_new] = versions_.emplace(tool, "");
    if (is_new) {
      const ProgramResult result =
          run_program({{find_program(tool, kPath), "--version"}, environment_in("/"), "/", kVersionTimeout, {}});
      const std::string first = split(result.out, '\n').front();
      if (result.exit_code == 0 && is_valid_utf8(first)) known->second = trim(first);
    }
    return known->second;
  }

  /// Raises if the user named the release; otherwise releases without sources are listed in `unproven`.
  void note_missing(const ProofJob& job, const std::string& why) {
    if (options_.releases.empty()) return add_once({"", job.release->version.text(), why}, report_.unproven);
    throw Error(ErrorKind::source, concat("reading the tree for ", job.name(), " from ", source_.describe(), ": ", why),
                "pass a directory that contains it with --mirror");
  }

  void run_jobs(const std::vector<ProofJob>& jobs) {
    std::vector<SideRun> sides;
    for (const ProofJob& job : jobs)
      for (const char* side : {"before", "after"}) sides.push_back({job.proof, place(job, side)});
    run_sides(sides, options_.jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const SideRun &before = sides[2 * i], &after = sides[2 * i + 1];
      const bool is_red = before.exit != 0 && before.output.find(jobs[i].proof->red) != std::string::npos;
      ProofOutcome outcome = outcome_of(jobs[i]);
      outcome.verdict = !is_red           ? ProofVerdict::not_red
                        : after.exit == 0 ? ProofVerdict::proven
                                          : ProofVerdict::not_green;
      outcome.before_exit = before.exit, outcome.after_exit = after.exit;
      outcome.before_output = end_of(before.output), outcome.after_output = end_of(after.output);
      report_.proofs.push_back(std::move(outcome));
    }
    if (!options_.keep.empty()) return;
    for (const SideRun& side : sides) remove_tree(side.directory);
  }

  const Catalog& catalog_;
  source::ObjectSource& source_;
  const ProveOptions& options_;
  Console& console_;
  TempDir temporary_;
  std::string root_ = temporary_.path();
  std::map<std::string, std::string> versions_;  ///< tool → its version
  ProveReport report_;
};

/// Returns the records of one patchset and release: the known ones, updated with the new ones.
std::vector<ProofRecord> merged(const Patchset& patchset, const Version& release, std::vector<ProofRecord> records) {
  for (const ProofRecord& known : patchset.proof.records) {
    if (known.release != release) continue;
    const auto same = std::ranges::find(records, known.proof, &ProofRecord::proof);
    if (same == records.end()) {
      records.push_back(known);
    } else {
      ProofRecord dated = *same;
      dated.date = known.date;
      if (dated == known) *same = known;
    }
  }
  std::ranges::sort(records, {}, &ProofRecord::proof);
  return records;
}

}  // namespace

ProveReport prove(const Catalog& catalog, source::ObjectSource& source, const ProveOptions& options, Console& console) {
  return Prover(catalog, source, options, console).run();
}

tree::FileChanges proof_files(const Catalog& catalog, const ProveReport& report, const std::string& today) {
  std::map<std::pair<std::string, Version>, std::vector<ProofRecord>> all;
  for (const ProofOutcome& outcome : report.proofs) {
    if (outcome.verdict == ProofVerdict::no_tool) continue;
    all[{outcome.patchset, outcome.release}].push_back({outcome.proof, outcome.release, outcome.variant,
                                                        outcome.subject, outcome.before_exit, outcome.after_exit,
                                                        outcome.verdict, outcome.tools, today});
  }
  tree::FileChanges files;
  for (auto& [key, records] : all) {
    const auto& [id, release] = key;
    const ProofRecordFile file{id, release.text(), merged(catalog.patchset(id), release, std::move(records))};
    files[concat(patchset_path(id), "/proofs/", release.text(), ".json")] = file_bytes(file, "proofs");
  }
  return files;
}

std::vector<std::string> record_proofs(const Catalog& catalog, const ProveReport& report, const std::string& directory,
                                       const std::string& today, Console& console) {
  return write_recorded(directory, proof_files(catalog, report, today), console);
}

}  // namespace torchpatch::upkeep
