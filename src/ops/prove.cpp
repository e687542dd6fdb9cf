// SPDX-License-Identifier: BSD-3-Clause
#include "ops/prove.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "ops/prove_tree.h"
#include "ops/recorded_data.h"
#include "ops/run_proof.h"
#include "source/run_lookups.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

using emit::NotProven;
using emit::ProofOutcome;
using emit::ProofSide;

constexpr std::size_t kMaxOutput = 4000;

std::vector<const Patchset*> chosen_patchsets(const Catalog& catalog, const std::vector<std::string>& ids) {
  std::vector<const Patchset*> chosen;
  for (const std::string& id : ids) chosen.push_back(&catalog.patchset(id));
  if (!ids.empty()) return chosen;
  for (const auto& [id, patchset] : catalog.patchsets) chosen.push_back(&patchset);
  return chosen;
}

const Variant* find_variant(const Patchset& patchset, const Version& release) {
  for (const Variant& variant : patchset.variants) {
    if (variant.releases.contains(release)) return &variant;
  }
  return nullptr;
}

/// Returns why a patchset has no proof for a release, with the releases for which that holds.
NotProven not_proven(const Patchset& patchset, const Version& release) {
  for (const Unproven& unproven : patchset.proof.unproven) {
    if (unproven.releases.contains(release)) return {patchset.id, unproven.releases.text(), unproven.why};
  }
  return {patchset.id, release.text(), "nobody has written a proof"};
}

/// Adds a line that is not there yet.
void add_once(NotProven line, std::vector<NotProven>& lines) {
  const auto is_same = [&](const NotProven& other) {
    return std::tie(other.patchset, other.release, other.why) == std::tie(line.patchset, line.release, line.why);
  };
  if (std::none_of(lines.begin(), lines.end(), is_same)) lines.push_back(std::move(line));
}

/// The end of an output, which says why a program failed, from the start of a line on.
std::string end_of(const std::string& text) {
  if (text.size() <= kMaxOutput) return text;
  const std::size_t line = text.find('\n', text.size() - kMaxOutput);
  return text.substr(line == text.npos ? text.size() - kMaxOutput : line + 1);
}

void write_side(const std::string& directory, const std::vector<tree::FileToWrite>& files, const ProofSet& set,
                const ProveOptions& options) {
  NullConsole quiet;  // a few files, many times
  make_directories(directory + "/tree");
  make_directories(directory + "/work");
  tree::write_files(directory + "/tree", files, {.object_folders = {}, .jobs = options.jobs, .limits = {}}, quiet);
  make_directories(directory + "/proof");
  for (const auto& [path, bytes] : set.files) {
    const std::string place = directory + "/proof/" + path;
    make_directories(parent_path(place));
    write_file_atomically(place, bytes);
  }
}

/// Where the trees are written: a directory of the user's, or one that is removed at the end.
class Workshop {
 public:
  explicit Workshop(const std::string& keep) : path_(keep) {
    if (keep.empty()) {
      temporary_ = std::make_unique<TempDir>();
      path_ = temporary_->path();
      return;
    }
    make_directories(keep);
    if (list_directory(keep).empty()) return;
    throw Error(ErrorKind::usage, concat("keeping the trees in ", quote(keep), ": it is not empty"),
                "name a directory that is empty or not there");
  }
  std::string place(const ProofJob& job, const char* side) const {
    return concat(absolute_path(path_), "/", job.release->version.text(), "/", job.patchset->id, "/", job.proof->id,
                  "/", side);
  }
  /// Forgets a side that has been run.
  void clear(const ProofJob& job, const char* side) const {
    if (temporary_) remove_tree(place(job, side));
  }

 private:
  std::unique_ptr<TempDir> temporary_;
  std::string path_;
};

class Prover {
 public:
  Prover(const Catalog& catalog, source::ObjectSource& source, const ProveOptions& options, Console& console)
      : catalog_(catalog), source_(source), options_(options), console_(console), workshop_(options.keep) {}

  emit::ProveReport run() {
    const std::vector<const Patchset*> patchsets = chosen_patchsets(catalog_, options_.patchsets);
    for (const Release* release : chosen_releases(catalog_, options_.releases)) {
      prove_release(*release, patchsets);
    }
    std::sort(report_.proofs.begin(), report_.proofs.end(), [](const ProofOutcome& a, const ProofOutcome& b) {
      return std::tie(a.patchset, a.release, a.proof) < std::tie(b.patchset, b.release, b.proof);
    });
    return std::move(report_);
  }

 private:
  void prove_release(const Release& release, const std::vector<const Patchset*>& patchsets) {
    const std::vector<ProofJob> jobs = with_tools(jobs_of(release, patchsets));
    if (jobs.empty()) return;
    console_.status(
        concat("proving ", release.version.text(), ": ", jobs.size(), jobs.size() == 1 ? " proof" : " proofs"));
    const std::vector<source::LookupResult> trees = source::run_lookups(
        jobs.size(),
        [&jobs](source::PinnedLookup& lookup, std::size_t item) { return read_proof_trees(jobs[item], lookup); },
        catalog_.moved_repositories, source_, options_.jobs, console_);
    std::vector<const ProofJob*> ready;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (trees[i].missing.empty()) {
        write_trees(jobs[i], decode_proof_trees(trees[i].bytes));
        ready.push_back(&jobs[i]);
      } else {
        note_missing(jobs[i], trees[i].missing);
      }
    }
    run_jobs(ready);
  }

  std::vector<ProofJob> jobs_of(const Release& release, const std::vector<const Patchset*>& patchsets) {
    std::vector<ProofJob> jobs;
    for (const Patchset* patchset : patchsets) {
      const Variant* variant = find_variant(*patchset, release.version);
      if (!variant) continue;
      const std::size_t before = jobs.size();
      for (const Proof& proof : patchset->proof.proofs) {
        if (proof.releases.contains(release.version)) jobs.push_back({&release, patchset, variant, &proof});
      }
      if (jobs.size() == before) add_once(not_proven(*patchset, release.version), report_.unproven);
    }
    return jobs;
  }

  /// Returns the jobs whose tools are there; the others have their outcome already.
  std::vector<ProofJob> with_tools(const std::vector<ProofJob>& jobs) {
    std::vector<ProofJob> ready;
    for (const ProofJob& job : jobs) {
      ProofOutcome outcome = outcome_of(job);
      if (outcome.missing_tools.empty()) {
        ready.push_back(job);
        continue;
      }
      outcome.verdict = ProofVerdict::no_tool;
      report_.proofs.push_back(std::move(outcome));
    }
    return ready;
  }

  ProofOutcome outcome_of(const ProofJob& job) {
    ProofOutcome outcome;
    outcome.patchset = job.patchset->id;
    outcome.proof = job.proof->id;
    outcome.release = job.release->version;
    outcome.variant = job.variant->id;
    outcome.subject = proof_subject(*job.release, *job.variant, *job.proof, job.patchset->proof);
    for (const std::string& tool : job.proof->tools) {
      if (tools_.has(tool)) {
        outcome.tools[tool] = tools_.version(tool);
      } else {
        outcome.missing_tools.push_back(tool);
      }
    }
    return outcome;
  }

  /// A release that the user named must be there; of all releases, those are proven whose sources are.
  void note_missing(const ProofJob& job, const std::vector<source::MissingPin>& missing) {
    const std::string why = source::missing_text(missing.front());
    if (options_.releases.empty()) return add_once({"", job.release->version.text(), why}, report_.unproven);
    throw Error(ErrorKind::source,
                concat("reading the tree for ", name_of(job), " from ", source_.describe(), ": ", why),
                "name a folder that holds it with --mirror");
  }

  void write_trees(const ProofJob& job, const ProofTrees& trees) {
    write_side(workshop_.place(job, "before"), trees.before, job.patchset->proof, options_);
    write_side(workshop_.place(job, "after"), trees.after, job.patchset->proof, options_);
  }

  void run_jobs(const std::vector<const ProofJob*>& jobs) {
    std::vector<SideRun> runs;
    for (const ProofJob* job : jobs) {
      for (const char* side : {"before", "after"}) runs.push_back({job->proof, workshop_.place(*job, side)});
    }
    const std::vector<ProofSide> sides = run_sides(runs, options_.jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ProofOutcome outcome = outcome_of(*jobs[i]);
      const ProofSide &before = sides[2 * i], &after = sides[2 * i + 1];
      outcome.verdict = judge(*jobs[i]->proof, before, after);
      outcome.before = {before.exit, end_of(before.output)};
      outcome.after = {after.exit, end_of(after.output)};
      report_.proofs.push_back(std::move(outcome));
      for (const char* side : {"before", "after"}) workshop_.clear(*jobs[i], side);
    }
  }

  const Catalog& catalog_;
  source::ObjectSource& source_;
  const ProveOptions& options_;
  Console& console_;
  Workshop workshop_;
  ToolBox tools_;
  emit::ProveReport report_;
};

}  // namespace

emit::ProveReport prove(const Catalog& catalog, source::ObjectSource& source, const ProveOptions& options,
                        Console& console) {
  return Prover(catalog, source, options, console).run();
}

}  // namespace torchpatch::ops
