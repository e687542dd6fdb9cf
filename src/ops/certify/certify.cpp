// SPDX-License-Identifier: BSD-3-Clause
#include "ops/certify/certify.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "model/prove.h"
#include "ops/check/patch_chains.h"
#include "ops/prepare/patched_tree.h"
#include "record/recorded_files.h"
#include "source/closure/pinned_lookup.h"
#include "support/file.h"
#include "support/text.h"
#include "support/wire.h"

namespace torchpatch::ops {

namespace {

/// In the order of the file; two edges for the same are one.
struct EdgeOrder {
  bool operator()(const CertificateEdge& a, const CertificateEdge& b) const {
    const auto key = [](const CertificateEdge& edge) {
      return std::tie(edge.repository, edge.overridden, edge.path, edge.patch, edge.follows, edge.before, edge.commit);
    };
    return key(a) < key(b);
  }
};

/// Patchset id → its edges.
using EdgesByPatchset = std::map<std::string, std::set<CertificateEdge, EdgeOrder>>;

/// Turns what a chain did into edges: `follows` is the patch before on the same path.
void collect_edges(const Release& release, const PatchChain& chain, const ChainOutcome& outcome, EdgesByPatchset& all) {
  const ComponentPin& pin = *release.find(chain.repository.component);
  const SubmoduleOverride* override = find_override(chain.overrides, chain.repository);
  std::map<std::string, Sha256> last;
  for (std::size_t i = 0; i < chain.patches.size(); ++i) {
    const Patch& patch = *chain.patches[i].patch;
    for (const patch::Edge& edge : outcome.edges[i]) {
      CertificateEdge certified{pin.commit,   patch.repository, edge.path, patch.sha256,
                                std::nullopt, edge.before,      edge.after};
      if (const auto previous = last.find(edge.path); previous != last.end()) certified.follows = previous->second;
      if (override) certified.overridden = override->commit;
      all[chain.patches[i].patchset].insert(std::move(certified));
      last[edge.path] = patch.sha256;
    }
  }
}

std::string describe_failure(const PatchChain& chain) {
  if (chain.patches.empty())
    return concat("the fix that overrides ", chain.repository.text(), " is not for these pins");
  std::vector<std::string> names;
  for (const PlannedPatch& each : chain.patches) names.push_back(concat(each.patchset, "/", each.patch->file));
  return concat(join(names, ", "), " do not go together");
}

/// A catalog whose patches nobody has certified yet, so that plans choose variants by range.
Catalog without_certificates(Catalog catalog) {
  for (auto& [id, patchset] : catalog.patchsets) patchset.certificates.clear();
  return catalog;
}

/// Empty: all.
using PatchsetIds = std::set<std::string>;

bool has_any(const PatchChain& chain, const PatchsetIds& ids) {
  return std::ranges::any_of(chain.patches, [&](const PlannedPatch& patch) { return ids.contains(patch.patchset); });
}

/// Leaves the chains that give edges of the chosen patchsets, and of those that meet them: a file has all edges.
void choose_chains(ReleaseChains& chains, const PatchsetIds& chosen) {
  PatchsetIds all = chosen;
  for (const auto* list : {&chains.needed, &chains.possible})
    for (const PatchChain& chain : *list)
      if (has_any(chain, chosen))
        for (const PlannedPatch& patch : chain.patches) all.insert(patch.patchset);
  for (auto* list : {&chains.needed, &chains.possible})
    std::erase_if(*list, [&](const PatchChain& chain) { return !has_any(chain, all); });
}

std::vector<ReleaseChains> all_chains(const Catalog& catalog, const std::vector<std::string>& releases,
                                      const PatchsetIds& chosen) {
  PatchMeetings meetings;
  std::vector<ReleaseChains> all;
  for (const Release* release : chosen_releases(catalog, releases)) {
    ReleaseChains chains = chains_of_release(catalog, *release, meetings);
    if (!chosen.empty()) choose_chains(chains, chosen);
    if (chosen.empty() || !chains.needed.empty() || !chains.possible.empty()) all.push_back(std::move(chains));
  }
  return all;
}

/// The worker's task: what comes of the needed chains of a release, then of the possible ones.
source::LookupTask applying(const std::vector<ReleaseChains>& work) {
  return [&work](source::PinnedLookup& lookup, std::size_t item) {
    WireWriter writer;
    for (const auto* chains : {&work[item].needed, &work[item].possible})
      for (const PatchChain& chain : *chains) writer.put(apply_chain(chain, *work[item].release, lookup));
    return writer.take();
  };
}

[[noreturn]] void raise_failures(const std::set<std::string>& failures) {
  throw Error(ErrorKind::patch,
              concat("no certificates were written, since not every patch applies:\n  ",
                     join({failures.begin(), failures.end()}, "\n  ")),
              "mend the patch, or the releases that its variant says it fits");
}

bool is_certified(const Catalog& catalog, const std::string& patchset, const CertificateEdge& edge) {
  const EdgeOrder is_less;
  return std::ranges::any_of(catalog.patchsets.at(patchset).certificates, [&](const CertificateEdge& known) {
    return !is_less(edge, known) && !is_less(known, edge) && known.after == edge.after;
  });
}

/// Leaves the chosen patchsets, and those with an edge behind another patch that nobody certified yet.
void choose_files(const Catalog& catalog, const PatchsetIds& chosen, EdgesByPatchset& edges) {
  std::erase_if(edges, [&](const auto& entry) {
    const auto is_new = [&](const CertificateEdge& edge) {
      return edge.follows && !is_certified(catalog, entry.first, edge);
    };
    return !chosen.contains(entry.first) && std::ranges::none_of(entry.second, is_new);
  });
}

/// True where an outcome is one of what the catalog has now.
bool is_current(const ProofRecord& record, const Catalog& catalog, const std::string& patchset) {
  return std::ranges::any_of(proof_states(catalog.patchset(patchset), catalog), [&](const ProofState& state) {
    return state.release->version == record.release && state.proof->id == record.proof &&
           record.subject ==
               proof_subject(*state.release, *state.variant, *state.proof, catalog.patchset(patchset).proof);
  });
}

bool is_below(const std::string& path, const std::string& directory) {
  std::error_code error;
  const auto relative = std::filesystem::relative(path, directory, error);
  return !error && !relative.empty() && *relative.begin() != "..";
}

/// Rewrites a file with what still holds of it, or removes it.
void rewrite_recorded(const catalog::RecordedFile& file, const std::vector<ProofRecord>& current,
                      CertifyReport& report) {
  if (file.edges.empty() && current.empty()) {
    remove_tree(file.path);
    report.removed.push_back(file.path);
    return;
  }
  const std::string bytes = file.is_proofs ? record::proof_records_json(file.patchset, file.release, current)
                                           : record::certificates_json(file.patchset, file.release, file.edges);
  report.written.push_back(write_recorded(file.path, bytes));
}

/// Rids the recorded files below a directory of what no longer holds; `certified` are written anew anyway.
void drop_stale(const catalog::CatalogToCertify& loaded, const std::string& directory,
                const std::map<std::string, std::string>& certified, CertifyReport& report, Console& console) {
  for (const catalog::RecordedFile& file : loaded.recorded) {
    const bool is_here = is_below(file.path, directory);
    if (!is_here && file.has_stale)
      console.warning(concat(quote(file.path), " is stale, but does not lie below ", quote(directory), ": it stays"));
    const std::string name = concat(directory, "/patchsets/", file.patchset, "/certificates/", file.release, ".json");
    if (!is_here || (!file.is_proofs && certified.contains(name))) continue;
    std::vector<ProofRecord> current;
    std::ranges::copy_if(file.records, std::back_inserter(current),
                         [&](const ProofRecord& record) { return is_current(record, loaded.catalog, file.patchset); });
    if (file.has_stale || current.size() < file.records.size()) rewrite_recorded(file, current, report);
  }
}

/// Collects the edges of one release out of what its worker sent.
EdgesByPatchset read_edges(const ReleaseChains& work, const std::string& bytes, std::set<std::string>& failures,
                           Console& console) {
  EdgesByPatchset edges;
  WireReader reader(bytes);
  const std::string version = work.release->version.text();
  const auto read = [&](const std::vector<PatchChain>& chains, const auto& report) {
    for (const PatchChain& chain : chains) {
      const auto outcome = reader.get<ChainOutcome>();
      if (outcome.problem.empty()) collect_edges(*work.release, chain, outcome, edges);
      if (!outcome.problem.empty() && !outcome.missing) report(chain, outcome.problem);
    }
  };
  read(work.needed, [&](const PatchChain&, const std::string& problem) {
    failures.insert(concat("release ", version, ": ", problem));
  });
  read(work.possible, [&](const PatchChain& chain, const std::string& problem) {
    console.warning(
        concat("release ", version, ": ", describe_failure(chain), ", which no board needs by default: ", problem));
  });
  return edges;
}

std::vector<Component> components_of(const Release& release) {
  std::vector<Component> components;
  for (const auto& [component, pin] : release.components) components.push_back(component);
  return components;
}

/// Returns the tree of each component as it is where nothing is missing: ids decide a tree, the bytes of files that no
/// patch touches do not. A component with a submodule that is nowhere has none.
std::map<Component, ObjectId> complete_trees(const PinnedTree& pinned, const PatchedTree& patched) {
  const std::vector<source::ClosureGap>& gaps = pinned.closure().gaps;
  if (gaps.empty()) return patched.whole.trees;
  std::vector<Component> components;
  for (const auto& [component, tree] : patched.whole.trees) components.push_back(component);
  std::vector<tree::Leaf> leaves;
  std::vector<std::string> paths;
  paths.reserve(gaps.size());  // leaves refer to them
  for (const tree::FileToWrite& file : patched.files) leaves.push_back({file.path, file.mode, file.blob});
  for (const source::ClosureGap& gap : gaps) {
    if (gap.entry.mode == FileMode::gitlink) continue;
    paths.push_back(concat(repository_directory(gap.repository), "/", gap.entry.path));
    leaves.push_back({paths.back(), gap.entry.mode, gap.entry.id});
  }
  std::map<Component, ObjectId> trees = whole_trees(components, std::move(leaves)).trees;
  for (const source::ClosureGap& gap : gaps)
    if (gap.entry.mode == FileMode::gitlink) trees.erase(gap.repository.component);
  return trees;
}

/// Says what is recorded without having been there.
void tell_gaps(const Release& release, const source::Closure& closure, Console& console) {
  for (const source::ClosureGap& gap : closure.gaps) {
    const bool is_submodule = gap.entry.mode == FileMode::gitlink;
    console.warning(concat(
        "release ", release.version.text(), ": ", gap.repository.text(), ": ", quote(gap.entry.path),
        is_submodule ? " is nowhere: no tree is recorded for its component" : " is nowhere: recorded by its id"));
  }
}

}  // namespace

std::vector<const Release*> chosen_releases(const Catalog& catalog, const std::vector<std::string>& names) {
  std::vector<const Release*> chosen;
  for (const std::string& name : names) chosen.push_back(&catalog.release(name));
  if (!names.empty()) return chosen;
  for (const auto& [version, release] : catalog.releases) chosen.push_back(&release);
  return chosen;
}

std::string write_recorded(const std::string& path, const std::string& bytes) {
  make_directories(parent_path(path));
  write_file_atomically(path, bytes);
  return path;
}

CertifyReport certify_patches(const catalog::CatalogToCertify& loaded, source::ObjectSource& source,
                              const CertifyOptions& options, Console& console) {
  for (const std::string& id : options.patchsets) loaded.catalog.patchset(id);
  const PatchsetIds chosen(options.patchsets.begin(), options.patchsets.end());
  const Catalog bare = without_certificates(loaded.catalog);
  const std::vector<ReleaseChains> work = all_chains(bare, options.releases, chosen);
  const std::vector<source::LookupResult> results =
      source::run_lookups(work.size(), applying(work), bare.moved_repositories, source, options.jobs, console);

  std::map<std::string, std::string> files;
  std::set<std::string> failures, missing;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const std::string version = work[i].release->version.text();
    for (const source::MissingPin& pin : results[i].missing) missing.insert(source::missing_text(pin));
    EdgesByPatchset all = read_edges(work[i], results[i].bytes, failures, console);
    if (!results[i].missing.empty()) continue;  // half of a chain's certificates would be worse than none
    if (!chosen.empty()) choose_files(loaded.catalog, chosen, all);
    for (const auto& [patchset, edges] : all) {
      files[concat(options.directory, "/patchsets/", patchset, "/certificates/", version, ".json")] =
          record::certificates_json(patchset, version, {edges.begin(), edges.end()});
    }
  }
  if (!failures.empty()) raise_failures(failures);
  if (!missing.empty() && (!options.releases.empty() || files.empty()))
    source::raise_missing("reading what the patches touch", {missing.begin(), missing.end()}, source, source.hint());
  CertifyReport report;
  for (const auto& [path, bytes] : files) report.written.push_back(write_recorded(path, bytes));
  drop_stale(loaded, options.directory, files, report, console);
  report.left_out.assign(missing.begin(), missing.end());
  return report;
}

std::vector<std::string> record_results(const Catalog& catalog, source::ObjectSource& source,
                                        const CertifyOptions& options, Console& console) {
  std::vector<std::string> written;
  for (const Release* release : chosen_releases(catalog, options.releases)) {
    std::map<std::vector<SubmoduleOverride>, PinnedTree> trees;  // each set of overrides is read once
    std::map<Sha256, std::map<Component, ObjectId>> results;
    for (const Plan& plan : reachable_plans(catalog, *release)) {
      const bool is_uncertified =
          std::ranges::find(plan.issues, IssueStatus::uncertified, &IssueDecision::status) != plan.issues.end();
      if (is_uncertified || results.contains(plan.digest)) continue;
      const std::vector<SubmoduleOverride> overrides = overrides_of(plan);
      auto pinned = trees.find(overrides);
      if (pinned == trees.end()) {
        source::Closure closure =
            source::read_closure(*release, components_of(*release), overrides, catalog.moved_repositories, source,
                                 options.jobs, console, source::Gaps::allowed);
        tell_gaps(*release, closure, console);
        pinned = trees.try_emplace(overrides, std::move(closure), source).first;
      }
      const PatchedTree patched =
          make_patched_tree(pinned->second, patch_steps(plan.patches), add_steps(plan.files), console);
      results[plan.digest] = complete_trees(pinned->second, patched);
    }
    const std::string version = release->version.text();
    written.push_back(write_recorded(concat(options.directory, "/results/", version, ".json"),
                                     record::results_json(version, results)));
  }
  return written;
}

}  // namespace torchpatch::ops
