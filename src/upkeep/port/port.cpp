// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/port/port.h"

#include <algorithm>
#include <set>

#include "catalog/data_file.h"
#include "model/proof.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "support/wire.h"
#include "tree/staging.h"
#include "upkeep/certify/certify.h"
#include "upkeep/check/check.h"
#include "upkeep/edit/entries.h"
#include "upkeep/prove/prove.h"

namespace torchpatch::upkeep {

namespace {

// Each patchset goes through choose_jobs, carry_jobs and is_accepted. Accepted ones are in the catalog used for the
// following ones; others are left to a person.

/// Constant data for all steps.
struct PortContext {
  const PortRequest& request;
  const PortOptions& options;
  const Catalog& catalog;
  const std::vector<catalog::Layer>& layers;
  source::ObjectSource& source;
  Console& console;
  const Release& to;
  const Release& before;  ///< the previous release; if none, the next one

  std::string work_of(const std::string& patchset) const { return concat(options.work, "/", patchset); }
  std::string described_in(const std::string& patchset) const {
    return patchset_folder(patchset_directory(patchset, layers), patchset) + "/patchset.json";
  }
};

/// A patchset being ported, with its results.
struct PortJob {
  CarryTask task;
  Direction direction = Direction::newer;
  std::string unresolved;   ///< why a person's resolution cannot be used yet; or empty
  std::string unavailable;  ///< why it cannot be ported from any release; or empty
  CarriedVariant carried;
  bool needs_work = false;      ///< for a person
  bool has_whole_work = false;  ///< with everything that was ported
  PortedPatchset result;
  /// The patchset for the catalog, if accepted, and its new files: its own, and certificates of patchsets that share
  /// files with it.
  Patchset made;
  tree::FileChanges files;
};

std::string with_hint(const Error& error) {
  return error.hint().empty() ? error.message() : concat(error.message(), " (", error.hint(), ")");
}

std::string request_path(const std::string& work) { return work + "/torchpatch-port.json"; }

void write_request(const std::string& work, const PortRequest& request) {
  write_file_atomically(request_path(work), file_bytes(request, request_path(work)));
}

/// Removes what is left by a run killed before it wrote a request.
void remove_half_request(const std::string& work) {
  if (!is_directory(work)) return;
  for (const std::string& name : list_directory(work))
    if (is_temporary_of(name, base_name(request_path(work)))) remove_tree(concat(work, "/", name));
}

/// Removes port's files from a work directory, and the directory if nothing else is in it.
void remove_port(const std::string& work) {
  for (const std::string& name : list_directory(work)) {
    const std::string path = concat(work, "/", name);
    if (is_port_work(path) || is_half_port_work(path)) remove_tree(path);
  }
  remove_tree(request_path(work));  // last: marks a port in progress
  if (list_directory(work).empty()) remove_tree(work);
}

const Release& neighbour_of(const Catalog& catalog, const Version& version) {
  const auto at = catalog.releases.find(version);
  if (at != catalog.releases.begin()) return std::prev(at)->second;
  if (std::next(at) != catalog.releases.end()) return std::next(at)->second;
  throw Error(ErrorKind::usage, "the catalog has no other release to port patchsets from");
}

bool is_certified_at(const Patchset& patchset, const Variant& variant, const Release& release) {
  return std::ranges::all_of(variant.patches, [&](const Patch& patch) {
    const ComponentPin* const pin = release.find(patch.repository.component);
    return pin && std::ranges::any_of(patchset.certificates, [&](const CertificateEdge& edge) {
             return edge.patch == patch.sha256 && edge.commit == pin->commit;
           });
  });
}

/// Returns the releases of a variant that may have the files to port from, nearest first.
std::vector<const Release*> releases_from(const PortContext& port, const Variant& variant) {
  std::vector<const Release*> releases = nearest_releases(port.catalog, port.to.version);
  std::erase_if(releases, [&](const Release* release) { return !variant.releases.contains(release->version); });
  return releases;
}

/// Returns the variant given by --from, else the one for the release (`there`, or null), else that of the nearest
/// earlier release, or later one.
const Variant& variant_to_carry(const PortContext& port, const Patchset& patchset, const Variant* there) {
  const std::string& from_id = port.request.from;
  const Variant* const from = from_id.empty() ? nullptr : &variant_named(patchset, from_id);
  if (there && (from ? from != there : releases_from(port, *there).empty()))
    throw Error(ErrorKind::usage,
                concat("variant ", quote(there->id), " of ", patchset.id, " is for ", port.to.version.text(),
                       " already, but not certified there"),
                concat("'torchpatch patch certify ", patchset.id, " --version ", port.to.version.text(),
                       " --into DIR' certifies it; or remove the release from its range"));
  if (from || there) return from ? *from : *there;
  const auto& releases = port.catalog.releases;
  const auto at = releases.find(port.to.version);
  for (auto release = at; release != releases.begin();)
    if (const Variant* const variant = variant_made_for(patchset, (--release)->first)) return *variant;
  for (auto release = std::next(at); release != releases.end(); ++release)
    if (const Variant* const variant = variant_made_for(patchset, release->first)) return *variant;
  throw Error(ErrorKind::usage, concat("no variant of ", patchset.id, " is for any other release of the catalog"));
}

PortJob job_of(const PortContext& port, const Patchset& patchset, const Variant* there) {
  PortJob job;
  const std::string work = port.work_of(patchset.id);
  job.result.has_work = port.options.continues && is_port_work(work);
  if (job.result.has_work) {
    try {
      check_unchanged(read_patch_work(work), port.catalog,
                      concat("skip it with --skip, or start again after --abort; your changes are in ", quote(work)));
      job.task.resolved = resolve_port_work(work, port.options.drops_removed);
    } catch (const UnfitWork& error) {  // one unresolved patchset does not block the others
      if (!port.request.keeps_going) throw;
      job.unresolved = with_hint(error);
    }
  }
  CarryTask& task = job.task;
  const std::optional<ResolvedWork>& resolved = task.resolved;
  task.patchset = &patchset;
  task.variant = resolved ? &variant_named(patchset, resolved->work.from) : &variant_to_carry(port, patchset, there);
  task.to = &port.to;
  task.new_variant = resolved ? resolved->work.state.variant : unused_variant_id(patchset, port.to.version.text());
  task.from = releases_from(port, *task.variant);
  task.drops_removed = port.options.drops_removed;
  if (task.from.empty())
    throw Error(ErrorKind::usage, concat("the catalog has no other release that variant ", quote(task.variant->id),
                                         " of ", patchset.id, " is for"));
  job.direction = task.from.front()->version < port.to.version ? Direction::newer : Direction::older;
  if (resolved) task.from = {&port.catalog.release(resolved->work.from_release)};
  job.made = patchset;
  job.result.id = patchset.id;
  job.result.from = task.variant->id;
  for (const auto& [id, issue] : port.catalog.issues)
    if (std::ranges::count(issue.fixes, patchset.id, &Fix::patchset) > 0 && affects(issue, port.to.version))
      job.result.issues.push_back(id);
  return job;
}

/// Returns the requested patchsets; by default those that have a variant for the previous release and fix an issue that
/// affects this one too, i.e. those that check would report as missing.
std::vector<PortJob> choose_jobs(const PortContext& port, std::vector<std::string>& skipped) {
  const bool is_asked = !port.request.patchsets.empty();
  std::set<std::string> chosen(port.request.patchsets.begin(), port.request.patchsets.end());
  if (!is_asked)
    for (const auto& [id, patchset] : port.catalog.patchsets)
      if (variant_made_for(patchset, port.before.version) &&
          issue_that_goes_on(port.catalog, id, port.before.version, port.to.version))
        chosen.insert(id);
  std::vector<PortJob> jobs;
  for (const std::string& id : chosen) {
    const Patchset& patchset = port.catalog.patchset(id);
    if (std::ranges::count(port.request.skipped, id) > 0) {
      skipped.push_back(id);
      continue;
    }
    const Variant* const there = variant_made_for(patchset, port.to.version);
    if (!there || !is_certified_at(patchset, *there, port.to))
      jobs.push_back(job_of(port, patchset, there));
    else if (is_asked && !port.options.continues)
      throw Error(ErrorKind::usage,
                  concat("variant ", quote(there->id), " of ", id, " is for ", port.to.version.text(), " already"),
                  "'torchpatch patch edit' changes it");
  }
  return jobs;
}

/// Ports the variants, in worker processes.
void carry_jobs(const PortContext& port, std::vector<PortJob>& jobs) {
  const auto task = [&jobs](source::PinnedLookup& lookup, std::size_t item) {
    return to_wire(carry_variant(jobs[item].task, lookup));
  };
  const std::vector<source::LookupResult> results = source::run_lookups(
      jobs.size(), task, port.catalog.moved_repositories, port.source, port.options.jobs, port.console);
  std::set<std::string> missing;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::vector<std::string> lines = collect(results[i].missing, source::missing_text);
    if (results[i].bytes.empty()) {
      missing.insert(lines.begin(), lines.end());
      continue;
    }
    jobs[i].carried = from_wire<CarriedVariant>(results[i].bytes);
    jobs[i].result.from_release = jobs[i].carried.from_release;
    jobs[i].result.commit = jobs[i].carried.commit;
    if (jobs[i].carried.from_release.empty())
      jobs[i].unavailable = lines.empty() ? "they lack its repositories" : join(lines, "; ");
  }
  if (!missing.empty())
    source::raise_missing("reading what the patches touch", {missing.begin(), missing.end()}, port.source,
                          port.source.hint());
}

/// Returns the work with the ported patches: a person's work continued, or a new one, possibly temporary.
PatchWork write_work(const PortContext& port, const PortJob& job, const std::string& work) {
  if (job.task.resolved) return continue_port_work(work, *job.task.resolved, job.carried);
  return begin_port_work(work, job.task, job.carried, port.request.origin,
                         patchset_directory(job.result.id, port.layers));
}

/// Leaves the result to a person, with a work; returns false.
bool leave_to_person(PortJob& job) {
  job.result.result = PortResult::conflict;
  job.result.variant.clear();
  job.needs_work = true;
  return false;
}

/// The same, with a gate's message.
bool leave_to_person(PortJob& job, const char* gate, const std::string& message) {
  job.result.gates.push_back({gate, message, true});
  return leave_to_person(job);
}

/// Returns whether a person declared that the release has the patches' change, or the proof passes there without them.
bool is_said_upstream(const PortContext& port, const PortJob& job) {
  return port.options.takes_upstream || holds_without_patches(port.catalog, job.result.id, port.to.version, port.source,
                                                              port.options.jobs, port.console);
}

bool accept_as_upstream(const PortContext& port, PortJob& job) {
  PortedPatchset& result = job.result;
  result.result = PortResult::upstream;
  result.variant.clear();
  result.left_out.clear();
  const std::string by = result.commit ? concat(": ", result.commit->id.hex(), " (", result.commit->subject, ")") : "";
  job.made = *job.task.patchset;
  job.files.clear();
  end_variant(job.made, result.from, port.to.version, job.direction,
              concat(port.to.version.text(), " has the change", by), port.catalog);
  return true;
}

/// Returns the files that the variant changes: as in the release, and after its last patch.
std::vector<ChangedText> changed_texts(const PortJob& job) {
  std::map<WorkFile, ChangedText> texts;
  const auto add = [&](const RepositoryPath& repository, const std::string& path, const auto& before,
                       const auto& after) {
    const auto text =
        texts.try_emplace({repository, path}, ChangedText{repository, path, before ? before->bytes : "", ""}).first;
    if (after)
      text->second.after = after->bytes;
    else
      texts.erase(text);
  };
  if (job.task.resolved)
    for (const auto& [repository, files] : job.carried.rest)
      for (const auto& [path, file] : files)
        add(repository, path, file, job.task.resolved->changes.at(repository).at(path));
  for (std::size_t i = 0; i < job.carried.patches.size(); ++i)
    for (const CarriedFile& file : job.carried.patches[i].files)
      add(job.task.variant->patches[job.task.resolved_patches() + i].repository, file.path, file.before, file.after);
  std::vector<ChangedText> list;
  for (auto& [place, text] : texts) list.push_back(std::move(text));
  return list;
}

/// Returns whether the result passes all gates; adds certificates of the release, including those of patchsets that
/// share files, and proofs. `met`: the catalog with previously accepted patchsets.
bool passes_gates(const PortContext& port, const Catalog& met, PortJob& job) {
  const std::string& id = job.result.id;
  std::vector<PortGate>& gates = job.result.gates;
  const auto blame = [&](const ChangedText& file, const std::string& name) {
    return commit_without_name(port.catalog, port.catalog.release(job.result.from_release), port.to, file, name,
                               port.source, port.console);
  };
  const std::vector<ChangedText> texts = changed_texts(job);
  std::ranges::move(look_at_python(texts, blame), std::back_inserter(gates));
  if (job.task.resolved) std::ranges::move(look_at_line_ends(texts), std::back_inserter(gates));

  Catalog with = met;
  with.patchsets.insert_or_assign(id, job.made);
  const CertifyOptions certify{"", {port.to.version.text()}, port.options.jobs, {id}};
  CertifiedChange certified = certify_in_memory({with, {}}, port.source, certify, port.console);
  if (!certified.failures.empty())
    return leave_to_person(job, "certificates", with_hint(certificate_error(certified.failures)));
  job.files.merge(certified.certified);
  const Version from = Version::parse(job.result.from_release).value();
  const ProveReport proved =
      prove_carried(with, id, from, port.to.version, port.source, port.options.jobs, port.console, gates);
  const bool is_proven = !proved.proofs.empty() && std::ranges::all_of(proved.proofs, [](const ProofOutcome& each) {
    return each.verdict == ProofVerdict::proven;
  });
  if (!job.result.left_out.empty() && !port.options.takes_upstream && !needs_person(job.result) && !is_proven)
    gates.push_back({"proof",
                     "none shows that the variant works without what was dropped; --continue --upstream accepts it",
                     true});
  if (needs_person(job.result)) return leave_to_person(job);
  job.files.merge(proof_files(with, proved, port.options.today));
  return true;
}

/// Returns the upstream commit with the change of a patch that became empty; `file`: its name in the work.
std::optional<BlamedCommit> upstream_commit(const PortJob& job, std::size_t index, const std::string& file) {
  const std::size_t resolved = job.task.resolved_patches();
  if (index >= resolved) return job.carried.patches[index - resolved].commit;
  const std::vector<LeftOutPatch>& known = job.task.resolved->work.upstream;
  const auto found = std::ranges::find(known, file, &LeftOutPatch::file);
  return found == known.end() ? std::nullopt : found->commit;
}

/// Makes a new variant from what was merged or resolved by a person, without patches that became empty; returns whether
/// it is accepted.
bool make_variant(const PortContext& port, const Catalog& met, PortJob& job) {
  job.result.result = PortResult::ported;
  job.result.variant = job.task.new_variant;
  const TempDir place;
  const std::string work = job.task.resolved ? port.work_of(job.result.id) : place.path() + "/work";
  const PatchWork state = write_work(port, job, work);
  job.has_whole_work = job.task.resolved.has_value();  // other works are temporary
  std::vector<Patch> patches;
  try {
    const std::vector<MadePatch> all = make_work_patches(state, nullptr, WorkRepository(work), port.options.today);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Patch& old = job.task.variant->patches[i];
      if (all[i].text.empty()) {
        job.result.left_out.push_back({old.file, upstream_commit(job, i, all[i].file)});
        continue;
      }
      patches.push_back({all[i].file, all[i].sha256, old.repository, all[i].text});
      job.files[concat(patchset_path(job.result.id), "/", all[i].file)] = all[i].text;
    }
  } catch (const UnfitWork& error) {
    return leave_to_person(job, "lint", with_hint(error));
  }
  if (patches.empty() && is_said_upstream(port, job)) return accept_as_upstream(port, job);
  if (patches.empty())
    return leave_to_person(job, "proof",
                           "nothing is left of its patches, but no proof shows that upstream has the change; "
                           "--continue --upstream accepts it");
  const std::string& from = job.task.variant->id;
  end_variant(job.made, from, port.to.version, job.direction, "", port.catalog);
  add_variant(job.made, job.task.new_variant, from, port.to.version, std::move(patches));
  return passes_gates(port, met, job);
}

/// Returns whether the port of a patchset is accepted; if not, its result states what a person has to review.
bool is_accepted(const PortContext& port, const Catalog& met, PortJob& job) {
  PortedPatchset& result = job.result;
  const CarriedVariant& carried = job.carried;
  const auto add_gate = [&](const char* gate, const std::string& message) {
    result.gates.push_back({gate, message, true});
  };
  if (!job.unresolved.empty()) add_gate("lint", job.unresolved);
  if (!job.unavailable.empty()) add_gate("sources", "no release to port it from: " + job.unavailable);
  for (const std::string& problem : carried.blockers) add_gate("certificates", problem);
  result.conflicts = carried.collisions;
  if (!result.gates.empty() || !result.conflicts.empty()) return false;

  if (!job.task.resolved && (carried.is_upstream || carried.is_reversible)) {
    // The release has the patches' change, by file ids or as declared by a person.
    if (carried.is_upstream || is_said_upstream(port, job)) return accept_as_upstream(port, job);
    for (std::size_t i = 0; i < carried.patches.size(); ++i) {
      std::vector<std::string> paths = collect(carried.patches[i].files, &CarriedFile::path);
      for (const MergedFile& conflict : carried.patches[i].conflicts) paths.push_back(conflict.what.path);
      for (const std::string& path : paths)
        result.conflicts.push_back(
            {job.task.variant->patches[i].repository, path, path, PortConflictKind::upstream, result.commit});
    }
    return false;
  }
  if (!job.task.resolved && carried.applies) {
    result.result = PortResult::widened;
    result.variant = widen_variant(job.made, result.from, port.to.version, job.direction, port.catalog);
    return passes_gates(port, met, job);
  }
  for (const CarriedPatch& patch : carried.patches)
    for (const MergedFile& conflict : patch.conflicts) result.conflicts.push_back(conflict.what);
  return result.conflicts.empty() ? make_variant(port, met, job) : leave_to_person(job);
}

/// Adds a patchset's files to their catalog directories: the release's layer if it is above the patchset's own, since
/// certificates of its pins would not be valid below.
void add_files(const PortContext& port, PortJob& job, std::map<std::string, tree::FileChanges>& changes) {
  const std::string& id = job.task.patchset->id;
  const auto layer_over = [&](const std::string& patchset) {
    return layer_over_patchset(port.catalog, patchset, port.to.version, port.layers);
  };
  if (layer_over(id)) {  // it gets a copy of the patchset, without records
    job.made.replaces = sha256(read_file(port.described_in(id)));
    const std::string folder = patchset_folder(patchset_directory(id, port.layers), id);
    for (const std::string& name : list_files_below(folder))
      if (!starts_with(name, "certificates/") && !starts_with(name, "proofs/"))
        job.files.try_emplace(concat(patchset_path(id), "/", name), read_file(concat(folder, "/", name)));
  }
  job.files[patchset_path(id) + "/patchset.json"] = file_bytes(job.made, port.described_in(id));
  for (auto& [path, bytes] : job.files) {  // also of patchsets that share files with it
    const std::string owner = split(path, '/')[1];
    const catalog::Layer* const over = layer_over(owner);
    changes[over ? over->directory : patchset_directory(owner, port.layers)][path] = std::move(bytes);
  }
}

PortReport port_in(const PortContext& port) {
  PortReport report{port.to.version.text(), port.before.version.text(), {}, {}, {}, {}, {}};
  std::vector<PortJob> jobs = choose_jobs(port, report.skipped);
  carry_jobs(port, jobs);

  Catalog met = port.catalog;
  for (auto& entry : met.patchsets)  // patchsets not ported yet must not count as conflicts
    std::erase_if(entry.second.variants, [&](const Variant& variant) {
      return variant.releases.contains(port.to.version) && !is_certified_at(entry.second, variant, port.to);
    });
  PortRequest state = port.request;  // as in the work directory
  state.waiting.clear();
  std::map<std::string, tree::FileChanges> changes;  // catalog directory → its files
  std::vector<std::string> finished_works;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    port.console.progress("carrying patchsets", i + 1, jobs.size(), 0);
    PortJob& job = jobs[i];
    const std::string& id = job.task.patchset->id;
    if (is_accepted(port, met, job)) {
      add_files(port, job, changes);
      met.patchsets.insert_or_assign(id, std::move(job.made));
      if (job.task.resolved) finished_works.push_back(port.work_of(id));
      report.patchsets.push_back(std::move(job.result));
      continue;
    }
    const std::string work = port.work_of(id);
    if (job.needs_work && !job.task.resolved && catalog::is_present(work))
      throw Error(ErrorKind::environment, concat(quote(work), " already exists"),
                  "move it away, and continue with --continue");
    // Mark the port as in progress first, so that after a kill it can be continued or aborted.
    state.waiting.push_back(id);
    report.work = port.options.work;
    make_directories(port.options.work);
    write_request(port.options.work, state);
    const bool has_carried = !job.carried.patches.empty() || job.task.resolved;
    if (job.needs_work && !job.has_whole_work && has_carried) {
      write_work(port, job, work);
      job.result.has_work = true;
    }
    report.patchsets.push_back(std::move(job.result));
    if (port.request.keeps_going) continue;
    for (std::size_t rest = i + 1; rest < jobs.size(); ++rest) report.left.push_back(jobs[rest].task.patchset->id);
    break;
  }
  port.console.progress_done();

  if (report.work.empty() || port.request.keeps_going) {
    for (const auto& [directory, files] : changes) {
      tree::change_catalog(directory, files, port.console);
      for (const auto& [path, bytes] : files) report.written.push_back(concat(directory, "/", path));
    }
    for (const std::string& work : finished_works) remove_tree(work);
  }
  if (report.work.empty()) {
    if (port.options.continues) remove_port(port.options.work);
  } else if (!report.written.empty() && !state.has_written) {
    state.has_written = true;  // --keep-going's results stay, whatever happens to the rest
    write_request(port.options.work, state);
  }
  return report;
}

}  // namespace

PortRequest read_port_request(const std::string& work) {
  const std::string path = request_path(work);
  if (!catalog::is_present(path))
    throw Error(ErrorKind::environment, concat("no port in progress in ", quote(work)),
                "pass the directory with the conflicts of port as --work");
  Findings findings;
  PortRequest request = read_json<PortRequest>(read_file(path), path, findings);
  findings.raise_if_any("reading the state of the port");
  return request;
}

std::string skip_in_port(const std::string& work) {
  PortRequest request = read_port_request(work);
  std::vector<std::string>& waiting = request.waiting;
  for (const std::string& id : list_directory(work))
    if (is_port_work(concat(work, "/", id)) && std::ranges::count(waiting, id) == 0) waiting.push_back(id);
  if (waiting.empty())
    throw Error(ErrorKind::usage, concat("no patchset is left in ", quote(work)), "run it with --continue");
  auto first = std::ranges::find_if(waiting, [&](const std::string& each) {
    const std::string path = concat(work, "/", each);
    return !is_port_work(path) || !has_resolved_conflict(path);
  });
  if (first == waiting.end()) first = waiting.begin();
  const std::string id = *first;
  request.skipped.push_back(id);
  waiting.erase(first);
  write_request(work, request);
  remove_tree(concat(work, "/", id));
  return id;
}

bool abort_port(const std::string& work) {
  const PortRequest request = read_port_request(work);
  remove_port(work);
  return request.has_written;
}

PortReport port_patchsets(const PortRequest& request, const PortOptions& options, const Catalog& catalog,
                          const std::vector<catalog::Layer>& layers, source::ObjectSource& source, Console& console) {
  if (const auto version = Version::parse(request.version); version && !catalog.releases.contains(*version))
    throw Error(ErrorKind::usage,
                concat("carrying patchsets to ", version->text(), ": the catalog has no such release"),
                concat("'torchpatch release add ", version->text(),
                       " --into DIR' creates its file; if it is in your own layer, pass that with --catalog"));
  if (!options.continues && catalog::is_present(request_path(options.work)))
    throw Error(ErrorKind::environment, concat("a port is in progress in ", quote(options.work)),
                "continue with --continue, --skip or --abort, or choose another directory with --work");
  if (!options.continues) remove_half_request(options.work);
  if (!options.continues && catalog::is_present(options.work) && !list_directory(options.work).empty())
    throw Error(ErrorKind::environment, concat(quote(options.work), ", the directory for conflicts, is not empty"),
                "choose another directory with --work");
  const Release& to = catalog.release(request.version);
  return port_in({request, options, catalog, layers, source, console, to, neighbour_of(catalog, to.version)});
}

}  // namespace torchpatch::upkeep
