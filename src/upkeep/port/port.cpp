// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/port/port.h"

#include <algorithm>
#include <set>

#include "catalog/data_file.h"
#include "model/prove.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "tree/change_catalog.h"
#include "upkeep/certify/certify.h"
#include "upkeep/check/variant_ends.h"
#include "upkeep/edit/made_patches.h"
#include "upkeep/edit/work_state.h"
#include "upkeep/port/changed_patchset.h"
#include "upkeep/port/gates.h"
#include "upkeep/port/port_work.h"
#include "upkeep/prove/prove.h"

namespace torchpatch::upkeep {

namespace {

/// A patchset that is carried, and all that comes of it.
struct PortJob {
  PortCase of;
  Direction direction = Direction::newer;
  CarryTask task;
  std::optional<SettledWork> settled;
  std::string not_at_hand;  ///< why it cannot be carried from any release; or empty
  std::string unsettled;    ///< why what a person did in its work cannot be taken yet; or empty
  bool is_laid = false;     ///< its work has all that is carried
  CarriedVariant carried;
  PortedPatchset result;
};

/// Returns the release before one; where there is none, the one behind it.
const Release& neighbour_of(const Catalog& catalog, const Version& version) {
  const auto at = catalog.releases.find(version);
  if (at != catalog.releases.begin()) return std::prev(at)->second;
  if (std::next(at) != catalog.releases.end()) return std::next(at)->second;
  throw Error(ErrorKind::usage, "the catalog has no other release to carry patchsets from");
}

bool is_certified_at(const Patchset& patchset, const Variant& variant, const Release& release) {
  return std::ranges::all_of(variant.patches, [&](const Patch& patch) {
    const ComponentPin* const pin = release.find(patch.repository.component);
    return pin && std::ranges::any_of(patchset.certificates, [&](const CertificateEdge& edge) {
             return edge.patch == patch.sha256 && edge.commit == pin->commit;
           });
  });
}

/// Returns the patchsets with a variant for a release that answer an issue which affects another one, too: those that
/// check would miss there.
std::vector<std::string> patchsets_that_go_on(const Catalog& catalog, const Version& from, const Version& to) {
  std::vector<std::string> ids;
  for (const auto& [id, patchset] : catalog.patchsets)
    if (variant_made_for(patchset, from) && issue_that_goes_on(catalog, id, from, to)) ids.push_back(id);
  return ids;
}

std::vector<std::string> carried_paths(const CarriedPatch& patch) {
  std::vector<std::string> paths = collect(patch.files, &CarriedFile::path);
  for (const FileConflict& conflict : patch.conflicts) paths.push_back(conflict.what.path);
  return paths;
}

/// Whether a variant is made for a release, and was never certified there.
bool is_only_claimed(const Patchset& patchset, const Variant& variant, const Release& release) {
  return variant.releases.contains(release.version) && !is_certified_at(patchset, variant, release);
}

std::string with_hint(const Error& error) {
  return error.hint().empty() ? error.message() : concat(error.message(), " (", error.hint(), ")");
}

class Porter {
 public:
  Porter(const PortRequest& request, const PortOptions& options, const Catalog& catalog,
         const std::vector<catalog::Layer>& layers, source::ObjectSource& source, Console& console)
      : request_(request),
        options_(options),
        catalog_(catalog),
        layers_(layers),
        source_(source),
        console_(console),
        to_(catalog.release(request.version)),
        before_(neighbour_of(catalog, to_.version)),
        changed_(catalog),
        state_(request) {
    state_.waiting.clear();
    for (auto& entry : changed_.patchsets) {  // what nobody looked at yet is no reproach to those that it meets
      Patchset& patchset = entry.second;
      std::erase_if(patchset.variants, [&](const Variant& variant) { return is_only_claimed(patchset, variant, to_); });
    }
  }

  PortReport run() {
    report_ = {to_.version.text(), before_.version.text(), {}, {}, {}, {}, {}};
    std::vector<PortJob> jobs = jobs_to_do();
    carry(jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      console_.progress("carrying patchsets", i + 1, jobs.size(), 0);
      decide(jobs[i]);
      const bool is_done = !needs_person(jobs[i].result);
      report_.patchsets.push_back(std::move(jobs[i].result));
      if (is_done || request_.keeps_going) continue;
      for (std::size_t rest = i + 1; rest < jobs.size(); ++rest) report_.left.push_back(jobs[rest].of.patchset->id);
      break;
    }
    console_.progress_done();
    finish();
    return std::move(report_);
  }

 private:
  std::string work_of(const std::string& patchset) const { return concat(options_.work, "/", patchset); }

  std::vector<PortJob> jobs_to_do() {
    const bool is_asked = !request_.patchsets.empty();
    std::vector<std::string> chosen =
        is_asked ? request_.patchsets : patchsets_that_go_on(catalog_, before_.version, to_.version);
    std::ranges::sort(chosen);
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    std::vector<PortJob> jobs;
    for (const std::string& id : chosen) {
      const Patchset& patchset = catalog_.patchset(id);
      if (std::ranges::count(request_.skipped, id) > 0) {
        report_.skipped.push_back(id);
        continue;
      }
      const Variant* const there = variant_made_for(patchset, to_.version);
      if (there && is_certified_at(patchset, *there, to_)) {
        if (is_asked && !options_.continues)
          throw Error(ErrorKind::usage,
                      concat("variant ", quote(there->id), " of ", id, " is for ", to_.version.text(), " already"),
                      "'torchpatch patch edit' changes it");
        continue;
      }
      jobs.push_back(job_of(patchset, there));
    }
    return jobs;
  }

  /// Returns the variant that --from names, else the one that says it is for the release, else that of the nearest
  /// release before, or behind.
  const Variant* variant_to_carry(const Patchset& patchset, const Variant* there) const {
    const Variant* const from = request_.from.empty() ? nullptr : &variant_named(patchset, request_.from);
    if (there && (from ? from != there : releases_from(*there).empty()))
      throw Error(ErrorKind::usage,
                  concat("variant ", quote(there->id), " of ", patchset.id, " is for ", to_.version.text(),
                         " already, and not certified there"),
                  concat("'torchpatch patch certify ", patchset.id, " --version ", to_.version.text(),
                         "' certifies it; or take the release out of its range"));
    if (from || there) return from ? from : there;
    const auto at = catalog_.releases.find(to_.version);
    for (auto release = at; release != catalog_.releases.begin();)
      if (const Variant* const variant = variant_made_for(patchset, (--release)->first)) return variant;
    for (auto release = std::next(at); release != catalog_.releases.end(); ++release)
      if (const Variant* const variant = variant_made_for(patchset, release->first)) return variant;
    throw Error(ErrorKind::usage, concat("no variant of ", patchset.id, " is for any other release of the catalog"));
  }

  PortJob job_of(const Patchset& patchset, const Variant* there) {
    PortJob job;
    const bool has_work = options_.continues && is_port_work(work_of(patchset.id));
    if (has_work) settle(patchset.id, job);
    const Variant* const variant =
        job.settled ? &variant_named(patchset, job.settled->port.from) : variant_to_carry(patchset, there);
    job.of = {&patchset, variant, &to_, unused_variant_id(patchset, to_.version.text())};
    job.task = {variant, releases_from(*variant), &to_, options_.drops_removed};
    if (job.task.from.empty())
      throw Error(ErrorKind::usage, concat("the catalog has no other release that variant ", quote(variant->id), " of ",
                                           patchset.id, " is for"));
    job.direction = job.task.from.front()->version < to_.version ? Direction::newer : Direction::older;
    job.result = {patchset.id, variant->id, "", PortResult::conflict, ""};
    job.result.has_work = has_work;
    if (job.settled) {
      job.of.new_variant = job.settled->state.variant;
      job.task.from = {&catalog_.release(job.settled->port.from_release)};
      job.task.settled = job.settled->changes;
      job.task.settled_patches = job.settled->patches;
    }
    return job;
  }

  /// Takes what a person did. One of several that is not settled yet does not keep the others back.
  void settle(const std::string& id, PortJob& job) {
    const std::string work = work_of(id);
    try {
      check_unchanged(
          read_patch_work(work), catalog_,
          concat("leave it out with --skip, or begin again behind --abort; what was changed here is in ", quote(work)));
      job.settled = settle_port_work(work, options_.drops_removed);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::patch || !request_.keeps_going) throw;
      job.unsettled = with_hint(error);
    }
  }

  /// Returns the releases of a variant that may have the files to carry from, the nearest first.
  std::vector<const Release*> releases_from(const Variant& variant) const {
    std::vector<const Release*> releases = nearest_releases(catalog_, to_.version);
    std::erase_if(releases, [&](const Release* release) { return !variant.releases.contains(release->version); });
    return releases;
  }

  void carry(std::vector<PortJob>& jobs) {
    const auto task = [&jobs](source::PinnedLookup& lookup, std::size_t item) {
      return carry_variant(jobs[item].task, lookup);
    };
    const std::vector<source::LookupResult> results =
        source::run_lookups(jobs.size(), task, catalog_.moved_repositories, source_, options_.jobs, console_);
    std::set<std::string> missing;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      std::vector<std::string> lines;
      for (const source::MissingPin& pin : results[i].missing) lines.push_back(source::missing_text(pin));
      if (results[i].bytes.empty()) {
        missing.insert(lines.begin(), lines.end());
        continue;
      }
      jobs[i].carried = decode_carried_variant(results[i].bytes);
      if (jobs[i].carried.from_release.empty())
        jobs[i].not_at_hand = lines.empty() ? "they have not its repositories" : join(lines, "; ");
    }
    if (!missing.empty())
      source::raise_missing("reading what the patches touch", {missing.begin(), missing.end()}, source_,
                            source_.hint());
  }

  void decide(PortJob& job) {
    PortedPatchset& result = job.result;
    const CarriedVariant& carried = job.carried;
    result.from_release = carried.from_release;
    result.commit = carried.commit;
    result.issues = issues_of(result.id);
    if (!job.not_at_hand.empty() || !job.unsettled.empty() || !carried.unfit.empty() || !carried.taken.empty())
      return refuse(job);
    if (!job.settled && (carried.is_upstream || carried.is_reversible) && decide_upstream(job)) return;
    if (!job.settled && carried.applies) return widen(job);
    for (const CarriedPatch& patch : carried.patches)
      for (const FileConflict& conflict : patch.conflicts) result.conflicts.push_back(conflict.what);
    if (!result.conflicts.empty()) return leave_to_person(job);
    port(job);
  }

  /// Nothing can be made of it but by a person.
  void refuse(PortJob& job) {
    job.result.conflicts = job.carried.taken;
    if (!job.unsettled.empty()) job.result.gates.push_back({"lint", job.unsettled, true});
    if (!job.not_at_hand.empty())
      job.result.gates.push_back({"sources", "of no release that it could be carried from: " + job.not_at_hand, true});
    for (const std::string& problem : job.carried.unfit) job.result.gates.push_back({"certificates", problem, true});
    wait_for_person(job);
  }

  std::vector<std::string> issues_of(const std::string& patchset) const {
    std::vector<std::string> issues;
    for (const auto& [id, issue] : catalog_.issues)
      if (std::ranges::count(issue.fixes, patchset, &Fix::patchset) > 0 && affects(issue, to_.version))
        issues.push_back(id);
    return issues;
  }

  std::string described_in(const std::string& id) const {
    return patchset_folder(patchset_directory(id, layers_), id) + "/patchset.json";
  }

  /// Returns the directory that a patchset's files go to: that of the release's layer, where it lies over the
  /// patchset's own, since certificates of its pins would not hold below it.
  std::string target_of(const std::string& id) const {
    const auto layer_of = [&](const std::string& entry) {
      return std::ranges::find(layers_, catalog_.origins.at(entry).layer, &catalog::Layer::name);
    };
    return std::max(layer_of(catalog::release_entry(to_.version.text())), layer_of(catalog::patchset_entry(id)))
        ->directory;
  }

  /// Whether a person says that the release has what the patches do, or the proof holds there without them.
  bool is_said_upstream(const PortJob& job) {
    return options_.takes_upstream ||
           holds_without_patches(catalog_, job.result.id, to_.version, source_, options_.jobs, console_);
  }

  /// The release has what the patches do: by the ids of the files, or somebody says so.
  bool decide_upstream(PortJob& job) {
    PortedPatchset& result = job.result;
    if (!job.carried.is_upstream && !is_said_upstream(job)) {
      for (std::size_t i = 0; i < job.carried.patches.size(); ++i)
        for (const std::string& path : carried_paths(job.carried.patches[i]))
          result.conflicts.push_back(
              {job.of.variant->patches[i].repository, path, path, PortConflictKind::upstream, result.commit});
      wait_for_person(job);
      return true;
    }
    end_variant(job);
    return true;
  }

  void end_variant(PortJob& job) {
    PortedPatchset& result = job.result;
    result.result = PortResult::upstream;
    result.variant.clear();
    result.left_out.clear();
    ChangedPatchset changed(*job.of.patchset, described_in(result.id));
    const std::string by =
        result.commit ? concat(": ", result.commit->id.hex(), " (", result.commit->subject, ")") : "";
    changed.end(job.of.variant->id, to_.version, job.direction, concat(to_.version.text(), " has the change", by),
                catalog_);
    take(job, changed, {});
  }

  void widen(PortJob& job) {
    ChangedPatchset changed(*job.of.patchset, described_in(job.result.id));
    job.result.result = PortResult::widened;
    job.result.variant = changed.widen(job.of.variant->id, to_.version, job.direction, catalog_);
    pass_gates(job, changed, {});
  }

  /// Makes a new variant of what was merged, or of what a person settled, without patches that nothing is left of.
  void port(PortJob& job) {
    job.result.result = PortResult::ported;
    job.result.variant = job.of.new_variant;
    const TempDir place;
    const std::string work = job.settled ? work_of(job.result.id) : place.path() + "/work";
    const PatchWork state = lay(job, work);
    std::vector<Patch> patches;
    tree::FileChanges files;
    try {
      const std::vector<MadePatch> all = make_work_patches(state, nullptr, WorkRepository(work), options_.today);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const WorkPatch& patch = state.patches[i];
        if (all[i].text.empty()) {
          job.result.left_out.push_back({job.of.variant->patches[i].file, upstream_commit(job, i, patch.file)});
          continue;
        }
        patches.push_back({patch.file, sha256(all[i].text), patch.repository, all[i].text});
        files[concat(patchset_path(state.patchset), "/", patch.file)] = all[i].text;
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::patch) throw;
      job.result.gates.push_back({"lint", with_hint(error), true});
      return leave_to_person(job);
    }
    if (patches.empty()) return port_nothing(job);
    ChangedPatchset changed(*job.of.patchset, described_in(job.result.id));
    changed.end(job.of.variant->id, to_.version, job.direction, "", catalog_);
    changed.add(job.of.new_variant, job.of.variant->id, to_.version, std::move(patches));
    pass_gates(job, changed, files);
  }

  /// A person settled it so that no patch changes anything.
  void port_nothing(PortJob& job) {
    if (is_said_upstream(job)) return end_variant(job);
    job.result.gates.push_back(
        {"proof", "nothing is left of its patches, and none says that upstream has it; --continue --upstream does",
         true});
    leave_to_person(job);
  }

  /// Returns the commit that brought a patch upstream, of which nothing is left; `file`: its name in the work.
  static std::optional<BlamedCommit> upstream_commit(const PortJob& job, std::size_t index, const std::string& file) {
    if (index >= job.task.settled_patches) return job.carried.patches[index - job.task.settled_patches].commit;
    const std::vector<LeftOutPatch>& known = job.settled->port.upstream;
    const auto found = std::ranges::find(known, file, &LeftOutPatch::file);
    return found == known.end() ? std::nullopt : found->commit;
  }

  PatchWork lay(PortJob& job, const std::string& work) {
    job.is_laid = job.settled.has_value();  // that of others lies in a place that goes
    if (job.settled) return continue_port_work(work, *job.settled, job.carried);
    return begin_port_work(work, job.of, job.carried, request_.origin, patchset_directory(job.result.id, layers_));
  }

  void leave_to_person(PortJob& job) {
    job.result.result = PortResult::conflict;
    job.result.variant.clear();
    const std::string work = work_of(job.result.id);
    if (catalog::is_present(work) && !job.settled)
      throw Error(ErrorKind::environment, concat(quote(work), " is there already"),
                  "move it away, and go on with --continue");
    wait_for_person(job);
    if (job.is_laid || (job.carried.patches.empty() && !job.settled)) return;
    lay(job, work);
    job.result.has_work = true;
  }

  /// The directory says first that a port is under way: killed behind that, it can be gone on with, or aborted.
  void wait_for_person(const PortJob& job) {
    state_.waiting.push_back(job.result.id);
    report_.work = options_.work;
    make_directories(options_.work);
    write_port_request(options_.work, state_);
  }

  void pass_gates(PortJob& job, ChangedPatchset& changed, const tree::FileChanges& files) {
    std::vector<PortGate>& gates = job.result.gates;
    const auto blame = [&](const ChangedText& file, const std::string& name) {
      return commit_without_name(catalog_, catalog_.release(job.result.from_release), to_, file, name, source_,
                                 console_);
    };
    const std::vector<ChangedText> texts = changed_texts(job);
    std::ranges::move(look_at_python(texts, blame), std::back_inserter(gates));
    if (job.settled) std::ranges::move(look_at_line_ends(texts), std::back_inserter(gates));
    Catalog with = changed_;
    with.patchsets.insert_or_assign(job.result.id, changed.patchset());
    tree::FileChanges all = files;
    try {
      certify(with, job, all);
      prove(with, job, all);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::patch) throw;
      gates.push_back({"certificates", with_hint(error), true});
    }
    if (needs_person(job.result)) return leave_to_person(job);
    take(job, changed, all);
  }

  /// Returns the files that the variant changes: as the release has them, and behind its last patch.
  static std::vector<ChangedText> changed_texts(const PortJob& job) {
    std::map<std::pair<RepositoryPath, std::string>, ChangedText> texts;
    const auto add = [&](const RepositoryPath& repository, const std::string& path, const auto& before,
                         const auto& after) {
      const auto key = std::pair(repository, path);
      texts.try_emplace(key, ChangedText{repository, path, before ? before->bytes : "", ""});
      if (after)
        texts[key].after = after->bytes;
      else
        texts.erase(key);
    };
    if (job.settled)
      for (const PinnedFile& pinned : job.carried.rest)
        add(pinned.repository, pinned.path, pinned.file, job.settled->changes.at(pinned.repository).at(pinned.path));
    for (std::size_t i = 0; i < job.carried.patches.size(); ++i)
      for (const CarriedFile& file : job.carried.patches[i].files)
        add(job.of.variant->patches[job.task.settled_patches + i].repository, file.path, file.before, file.after);
    std::vector<ChangedText> list;
    for (auto& [key, text] : texts) list.push_back(std::move(text));
    return list;
  }

  /// Adds the certificates of the release, with those of patchsets that meet this one.
  void certify(const Catalog& with, const PortJob& job, tree::FileChanges& all) {
    const CertifyOptions options{"", {to_.version.text()}, options_.jobs, {job.result.id}};
    all.merge(certify_in_memory({with, {}}, source_, options, console_).certified);
  }

  void prove(const Catalog& with, PortJob& job, tree::FileChanges& all) {
    const Version from = Version::parse(job.result.from_release).value();
    ProvedVariant proved = prove_carried(with, job.result.id, from, to_.version, source_, options_.jobs, console_);
    std::ranges::move(proved.gates, std::back_inserter(job.result.gates));
    if (!job.result.left_out.empty() && !options_.takes_upstream && !needs_person(job.result) && !proved.is_proven)
      job.result.gates.push_back(
          {"proof", "none shows that the variant can do without what is left out; --continue --upstream says so",
           true});
    all.merge(proof_files(with, proved.report, options_.today));
  }

  /// What this patchset comes to is part of the catalog from here on.
  void take(const PortJob& job, ChangedPatchset& changed, tree::FileChanges files) {
    const std::string id = job.result.id;
    if (target_of(id) != patchset_directory(id, layers_)) {
      changed.replace(sha256(read_file(described_in(id))));
      files.merge(copied_patchset(id));
    }
    files[patchset_path(id) + "/patchset.json"] = changed.described();
    for (auto& [path, bytes] : files)  // of patchsets that meet this one, too
      changes_[target_of(split(path, '/')[1])][path] = std::move(bytes);
    changed_.patchsets.insert_or_assign(id, changed.patchset());
    if (job.settled) settled_.push_back(work_of(id));
  }

  /// Returns what a layer needs that replaces a patchset: its patches, added files and proofs.
  tree::FileChanges copied_patchset(const std::string& id) const {
    const std::string folder = patchset_folder(patchset_directory(id, layers_), id);
    tree::FileChanges files;
    for (const std::string& name : list_files_below(folder)) {
      const bool is_recorded = starts_with(name, "certificates/") || starts_with(name, "proofs/");
      if (!is_recorded) files[concat(patchset_path(id), "/", name)] = read_file(concat(folder, "/", name));
    }
    return files;
  }

  void finish() {
    if (report_.work.empty() || request_.keeps_going) write_catalog();
    if (!report_.work.empty()) return note_written();
    if (options_.continues) remove_port(options_.work);
  }

  void write_catalog() {
    for (const auto& [directory, changes] : changes_) {
      tree::change_catalog(directory, changes, console_);
      for (const auto& [path, bytes] : changes) report_.written.push_back(concat(directory, "/", path));
    }
    for (const std::string& work : settled_) remove_tree(work);
  }

  /// What --keep-going wrote stays, whatever becomes of the rest.
  void note_written() {
    if (report_.written.empty() || state_.has_written) return;
    state_.has_written = true;
    write_port_request(options_.work, state_);
  }

  const PortRequest& request_;
  const PortOptions& options_;
  const Catalog& catalog_;
  const std::vector<catalog::Layer>& layers_;
  source::ObjectSource& source_;
  Console& console_;
  const Release& to_;
  const Release& before_;
  Catalog changed_;    ///< without variants that say they are for the release, and are not certified there
  PortRequest state_;  ///< as the work directory has it
  std::map<std::string, tree::FileChanges> changes_;  ///< catalog directory → its files
  std::vector<std::string> settled_;
  PortReport report_;
};

}  // namespace

PortReport port_patchsets(const PortRequest& request, const PortOptions& options, const Catalog& catalog,
                          const std::vector<catalog::Layer>& layers, source::ObjectSource& source, Console& console) {
  if (const auto version = Version::parse(request.version); version && !catalog.releases.contains(*version))
    throw Error(ErrorKind::usage,
                concat("carrying patchsets to ", version->text(), ": the catalog has no such release"),
                concat("'torchpatch release add ", version->text(),
                       "' writes its file; --catalog names a layer of yours that has it"));
  if (!options.continues && catalog::is_present(port_request_path(options.work)))
    throw Error(ErrorKind::environment, concat("a port is under way in ", quote(options.work)),
                "go on with --continue, --skip or --abort, or name another directory with --work");
  if (!options.continues && catalog::is_present(options.work) && !list_directory(options.work).empty())
    throw Error(ErrorKind::environment, concat(quote(options.work), ", where conflicts are to lie, is not empty"),
                "name another directory with --work");
  return Porter(request, options, catalog, layers, source, console).run();
}

}  // namespace torchpatch::upkeep
