// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/prove/prove.h"

#include <algorithm>
#include <tuple>

#include "source/closure/pinned_lookup.h"
#include "support/error.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"
#include "upkeep/prove/proof_tree.h"
#include "upkeep/prove/run_proof.h"

namespace torchpatch::upkeep {

namespace {

constexpr std::size_t kMaxOutput = 4000;

/// The end of an output, which says why a program failed, from the start of a line on.
std::string end_of(const std::string& text) {
  if (text.size() <= kMaxOutput) return text;
  const std::size_t line = text.find('\n', text.size() - kMaxOutput);
  return text.substr(line == text.npos ? text.size() - kMaxOutput : line + 1);
}

/// Returns the patchsets of these ids, or all. Raises usage as Catalog::patchset.
std::vector<const Patchset*> chosen_patchsets(const Catalog& catalog, const std::vector<std::string>& ids) {
  std::vector<const Patchset*> chosen;
  for (const std::string& id : ids) chosen.push_back(&catalog.patchset(id));
  if (!ids.empty()) return chosen;
  for (const auto& [id, patchset] : catalog.patchsets) chosen.push_back(&patchset);
  return chosen;
}

/// Returns why a patchset has no proof for a release, with the releases for which that holds.
NotProven not_proven(const Patchset& patchset, const Version& release) {
  for (const Unproven& unproven : patchset.proof.unproven)
    if (unproven.releases.contains(release)) return {patchset.id, unproven.releases.text(), unproven.why};
  return {patchset.id, release.text(), "nobody has written a proof"};
}

/// Adds a line that is not there yet.
void add_once(NotProven line, std::vector<NotProven>& lines) {
  const auto is_same = [&](const NotProven& other) {
    return std::tie(other.patchset, other.release, other.why) == std::tie(line.patchset, line.release, line.why);
  };
  if (std::ranges::none_of(lines, is_same)) lines.push_back(std::move(line));
}

/// Returns the proofs for a release, of those patchsets that have a variant for it; one without a proof becomes a line
/// of `unproven`, with its reason.
std::vector<ProofJob> proof_jobs(const Release& release, const std::vector<const Patchset*>& patchsets,
                                 std::vector<NotProven>& unproven) {
  std::vector<ProofJob> jobs;
  for (const Patchset* patchset : patchsets) {
    const Variant* variant = variant_made_for(*patchset, release.version);
    if (!variant) continue;
    const std::size_t before = jobs.size();
    for (const Proof& proof : patchset->proof.proofs)
      if (proof.releases.contains(release.version)) jobs.push_back({&release, patchset, variant, &proof});
    if (jobs.size() == before) add_once(not_proven(*patchset, release.version), unproven);
  }
  return jobs;
}

class Prover {
 public:
  Prover(const Catalog& catalog, source::ObjectSource& source, const ProveOptions& options, Console& console)
      : catalog_(catalog),
        source_(source),
        options_(options),
        console_(console),
        workshop_(options.keep, options.jobs) {}

  ProveReport run() {
    const std::vector<const Patchset*> patchsets = chosen_patchsets(catalog_, options_.patchsets);
    for (const Release* release : chosen_releases(catalog_, options_.releases)) prove_release(*release, patchsets);
    std::sort(report_.proofs.begin(), report_.proofs.end(), [](const ProofOutcome& a, const ProofOutcome& b) {
      return std::tie(a.patchset, a.release, a.proof) < std::tie(b.patchset, b.release, b.proof);
    });
    return std::move(report_);
  }

 private:
  void prove_release(const Release& release, const std::vector<const Patchset*>& patchsets) {
    const std::vector<ProofJob> jobs = with_tools(proof_jobs(release, patchsets, report_.unproven));
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
        const ProofTrees sides = decode_proof_trees(trees[i].bytes);
        workshop_.write(jobs[i], "before", sides.before);
        workshop_.write(jobs[i], "after", sides.after);
        ready.push_back(&jobs[i]);
      } else {
        note_missing(jobs[i], trees[i].missing);
      }
    }
    run_jobs(ready);
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
    for (const std::string& tool : job.proof->tools)
      if (tools_.has(tool))
        outcome.tools[tool] = tools_.version(tool);
      else
        outcome.missing_tools.push_back(tool);
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

  void run_jobs(const std::vector<const ProofJob*>& jobs) {
    std::vector<SideRun> runs;
    for (const ProofJob* job : jobs)
      for (const char* side : {"before", "after"}) runs.push_back({job->proof, workshop_.place(*job, side)});
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
  ProofWorkshop workshop_;
  ToolBox tools_;
  ProveReport report_;
};

ProofRecord record_of(const ProofOutcome& outcome, const std::string& today) {
  return {outcome.proof,   outcome.release,     outcome.variant,
          outcome.subject, outcome.before.exit, outcome.after.exit,
          outcome.verdict, outcome.tools,       today};
}

/// What is recorded of one patchset and release: what was known, with what is new laid over it.
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
    all[{outcome.patchset, outcome.release}].push_back(record_of(outcome, today));
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
                                       const std::string& today) {
  std::vector<std::string> written;
  for (const auto& [path, bytes] : proof_files(catalog, report, today))
    written.push_back(write_recorded(concat(directory, "/", path), *bytes));
  return written;
}

}  // namespace torchpatch::upkeep
