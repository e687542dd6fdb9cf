// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/certify/certify.h"

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "model/proof.h"
#include "source/closure/pinned_lookup.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "support/wire.h"
#include "trees/prepare/patch_chains.h"
#include "trees/prepare/patched_tree.h"
#include "upkeep/check/check.h"

namespace torchpatch::upkeep {

namespace {

/// The order in the file; edges that differ only in `after` are duplicates.
constexpr auto kIsBefore = [](const CertificateEdge& a, const CertificateEdge& b) {
  const auto key = [](const CertificateEdge& edge) {
    return std::tie(edge.repository, edge.overridden, edge.path, edge.patch, edge.follows, edge.before, edge.commit);
  };
  return key(a) < key(b);
};

/// Patchset id → its edges.
using EdgesByPatchset = std::map<std::string, std::set<CertificateEdge, std::remove_const_t<decltype(kIsBefore)>>>;

/// Converts the outcome of a chain to edges: `follows` is the previous patch on the same path.
void collect_edges(const Release& release, const trees::PatchChain& chain, const trees::ChainOutcome& outcome,
                   EdgesByPatchset& all) {
  const ComponentPin& pin = *release.find(chain.repository.component);
  const SubmoduleOverride* override = find_override(chain.overrides, chain.repository);
  std::map<std::string, Sha256> last;
  for (std::size_t i = 0; i < chain.patches.size(); ++i) {
    const Patch& patch = *chain.patches[i].patch;
    for (const PatchEdge& edge : outcome.edges[i]) {
      CertificateEdge certified{pin.commit,   patch.repository, edge.path, patch.sha256,
                                std::nullopt, edge.before,      edge.after};
      if (const auto previous = last.find(edge.path); previous != last.end()) certified.follows = previous->second;
      if (override) certified.overridden = override->commit;
      all[chain.patches[i].patchset].insert(std::move(certified));
      last[edge.path] = patch.sha256;
    }
  }
}

/// Keeps certificates for the other pin of a release that has both a commit and content.
void keep_other_pin(const Release& release, const Patchset& patchset, EdgesByPatchset& all) {
  for (const CertificateEdge& edge : patchset.certificates) {
    const ComponentPin* const pin = release.find(edge.repository.component);
    if (pin && pin->content && edge.commit != pin->commit &&
        (edge.commit == pin->content->commit || edge.commit == pin->content->claims))
      all[patchset.id].insert(edge);
  }
}

/// Keeps certificates of the components with missing objects.
void keep_unread(const Release& release, const std::set<Component>& unread, const Patchset& patchset,
                 EdgesByPatchset& all) {
  for (const CertificateEdge& edge : patchset.certificates) {
    const Component component = edge.repository.component;
    if (unread.contains(component) && release.find(component) && edge.commit == release.find(component)->commit)
      all[patchset.id].insert(edge);
  }
}

/// Empty: all.
using PatchsetIds = std::set<std::string>;

bool has_any(const trees::PatchChain& chain, const PatchsetIds& ids) {
  return std::ranges::any_of(chain.patches, [&](const PlannedPatch& patch) { return ids.contains(patch.patchset); });
}

/// Keeps the chains with edges of the chosen patchsets, and of those that share files: certificate files are complete.
void choose_chains(trees::ReleaseChains& chains, const PatchsetIds& chosen) {
  PatchsetIds all = chosen;
  for (const auto* list : {&chains.needed, &chains.possible})
    for (const trees::PatchChain& chain : *list)
      if (has_any(chain, chosen))
        for (const PlannedPatch& patch : chain.patches) all.insert(patch.patchset);
  for (auto* list : {&chains.needed, &chains.possible})
    std::erase_if(*list, [&](const trees::PatchChain& chain) { return !has_any(chain, all); });
}

std::vector<trees::ReleaseChains> all_chains(const Catalog& catalog, const std::vector<std::string>& releases,
                                             const PatchsetIds& chosen) {
  trees::PatchMeetings meetings;
  std::vector<trees::ReleaseChains> all;
  for (const Release* release : chosen_releases(catalog, releases)) {
    trees::ReleaseChains chains = trees::chains_of_release(catalog, *release, meetings);
    if (!chosen.empty()) choose_chains(chains, chosen);
    if (chosen.empty() || !chains.needed.empty() || !chains.possible.empty()) all.push_back(std::move(chains));
  }
  return all;
}

/// Keeps the chosen patchsets, and those with an edge after another patch that was not certified yet.
void choose_files(const Catalog& catalog, const PatchsetIds& chosen, EdgesByPatchset& edges) {
  std::erase_if(edges, [&](const auto& entry) {
    const std::vector<CertificateEdge>& certified = catalog.patchsets.at(entry.first).certificates;
    const auto is_new = [&](const CertificateEdge& edge) {
      return edge.follows && std::ranges::none_of(certified, [&](const CertificateEdge& known) {
               return !kIsBefore(edge, known) && !kIsBefore(known, edge) && known.after == edge.after;
             });
    };
    return !chosen.contains(entry.first) && std::ranges::none_of(entry.second, is_new);
  });
}

std::string recorded_path(const std::string& patchset, const std::string& kind, const std::string& release) {
  return concat(patchset_path(patchset), "/", kind, "/", release, ".json");
}

/// Marks certificates that build on a stale one as stale.
void drop_followers(std::vector<catalog::RecordedFile>& files) {
  // A patch's result for a file in a release, which the next patch starts from.
  std::set<std::tuple<std::string, RepositoryPath, std::string, Sha256, std::optional<ObjectId>>> gone;
  for (const catalog::RecordedFile& file : files)
    for (const CertificateEdge& edge : file.stale)
      gone.emplace(file.release, edge.repository, edge.path, edge.patch, edge.after);
  for (bool is_done = gone.empty(); !is_done;) {
    is_done = true;
    for (catalog::RecordedFile& file : files) {
      const auto count = std::erase_if(file.edges, [&](const CertificateEdge& edge) {
        if (!edge.follows || !gone.contains({file.release, edge.repository, edge.path, *edge.follows, edge.before}))
          return false;
        gone.emplace(file.release, edge.repository, edge.path, edge.patch, edge.after);
        return true;
      });
      if (count == 0) continue;
      file.has_stale = true;
      is_done = false;
    }
  }
}

/// Collects the edges of one release from its worker's result, and the components with incomplete chains, which have no
/// edges.
EdgesByPatchset read_edges(const trees::ReleaseChains& work, const std::string& bytes, std::set<std::string>& failures,
                           std::set<Component>& unread, Console& console) {
  EdgesByPatchset edges;
  WireReader reader(bytes);
  const std::string version = work.release->version.text();
  const auto read = [&](const std::vector<trees::PatchChain>& chains, const auto& report) {
    for (const trees::PatchChain& chain : chains) {
      const auto outcome = reader.get<trees::ChainOutcome>();
      if (outcome.problem.empty()) collect_edges(*work.release, chain, outcome, edges);
      if (outcome.missing) unread.insert(chain.repository.component);
      if (!outcome.problem.empty() && !outcome.missing) report(chain, outcome.problem);
    }
  };
  read(work.needed, [&](const trees::PatchChain&, const std::string& problem) {
    failures.insert(concat("release ", version, ": ", problem));
  });
  read(work.possible, [&](const trees::PatchChain& chain, const std::string& problem) {
    const auto name = [](const PlannedPatch& each) { return concat(each.patchset, "/", each.patch->file); };
    const std::string what = chain.patches.empty()
                                 ? concat("the fix that overrides ", chain.repository.text(), " is for other pins")
                                 : concat(join(collect(chain.patches, name), ", "), " do not fit together");
    console.warning(concat("release ", version, ": ", what, ", which no board needs by default: ", problem));
  });
  return edges;
}

/// Returns the tree of each component as if nothing were missing: trees depend on ids only, not on the bytes of files
/// without patches. A component with a missing submodule has none.
std::map<Component, ObjectId> complete_trees(const trees::PinnedTree& pinned, const trees::PatchedTree& patched) {
  const std::vector<source::ClosureGap>& gaps = pinned.closure().gaps;
  if (gaps.empty()) return patched.whole.trees;
  const std::vector<Component> components = keys_of(patched.whole.trees);
  std::vector<tree::Leaf> leaves;
  std::vector<std::string> paths;
  paths.reserve(gaps.size());  // leaves refer to them
  for (const tree::FileToWrite& file : patched.files) leaves.push_back({file.path, file.mode, file.blob});
  for (const source::ClosureGap& gap : gaps) {
    if (gap.entry.mode == FileMode::gitlink) continue;
    paths.push_back(concat(repository_directory(gap.repository), "/", gap.entry.path));
    leaves.push_back({paths.back(), gap.entry.mode, gap.entry.id});
  }
  std::map<Component, ObjectId> trees = trees::whole_trees(components, std::move(leaves)).trees;
  for (const source::ClosureGap& gap : gaps)
    if (gap.entry.mode == FileMode::gitlink) trees.erase(gap.repository.component);
  return trees;
}

}  // namespace

std::string patchset_path(const std::string& id) { return concat("patchsets/", id); }

std::vector<const Release*> chosen_releases(const Catalog& catalog, const std::vector<std::string>& names) {
  std::vector<const Release*> chosen;
  for (const std::string& name : names) chosen.push_back(&catalog.release(name));
  if (!names.empty()) return chosen;
  for (const auto& [version, release] : catalog.releases) chosen.push_back(&release);
  return chosen;
}

std::vector<std::string> write_recorded(const std::string& directory, const tree::FileChanges& files,
                                        Console& console) {
  tree::change_catalog(directory, files, console);
  std::vector<std::string> paths;
  for (const auto& [path, bytes] : files) paths.push_back(concat(directory, "/", path));
  return paths;
}

StaleFiles drop_stale(const catalog::CatalogToCertify& loaded, const std::string& directory,
                      const std::set<std::string>& patchsets) {
  StaleFiles result;
  std::vector<catalog::RecordedFile> files = loaded.recorded;
  drop_followers(files);
  const std::string root = real_path(directory);
  for (catalog::RecordedFile& file : files) {
    const std::string path = recorded_path(file.patchset, file.is_proofs ? "proofs" : "certificates", file.release);
    const bool is_here = real_path(file.path) == concat(root, "/", path);
    if (!is_here && file.has_stale) result.elsewhere.push_back(file.path);
    if (!is_here) continue;
    const Patchset* const patchset =
        patchsets.contains(file.patchset) ? &loaded.catalog.patchset(file.patchset) : nullptr;
    const auto outdated = std::erase_if(file.records, [&](const ProofRecord& record) {
      return patchset && std::ranges::none_of(proof_states(*patchset, loaded.catalog), [&](const ProofState& state) {
               return state.release->version == record.release && state.proof->id == record.proof &&
                      record.subject == proof_subject(*state.release, *state.variant, *state.proof, patchset->proof);
             });
    });
    if (!file.has_stale && outdated == 0) continue;
    std::optional<std::string>& rest = result.changes[path];  // nothing, if nothing is valid any more
    if (file.edges.empty() && file.records.empty()) continue;
    if (file.is_proofs)
      rest = file_bytes(ProofRecordFile{file.patchset, file.release, file.records}, "proofs");
    else
      rest = file_bytes(CertificateFile{file.patchset, file.release, file.edges}, "certificates");
  }
  return result;
}

CertifiedChange certify_in_memory(const catalog::CatalogToCertify& loaded, source::ObjectSource& source,
                                  const CertifyOptions& options, Console& console, bool goes_on) {
  for (const std::string& id : options.patchsets) loaded.catalog.patchset(id);
  const PatchsetIds chosen(options.patchsets.begin(), options.patchsets.end());
  Catalog bare = loaded.catalog;  // without certificates, so that plans choose variants by range
  for (auto& [id, patchset] : bare.patchsets) patchset.certificates.clear();
  const std::vector<trees::ReleaseChains> work = all_chains(bare, options.releases, chosen);
  const auto apply = [&](source::PinnedLookup& lookup, std::size_t item) {
    const Release& release = *work[item].release;
    WireWriter writer;
    for (const auto* chains : {&work[item].needed, &work[item].possible}) {
      for (const trees::PatchChain& chain : *chains) {
        trees::ChainOutcome outcome = trees::apply_chain(chain, release, lookup);
        outcome.problem += upstream_change_text(bare, release, chain, outcome, lookup);
        writer.put(outcome);
      }
    }
    return writer.take();
  };
  const std::vector<source::LookupResult> results =
      source::run_lookups(work.size(), apply, bare.moved_repositories, source, options.jobs, console);

  CertifiedChange change;
  std::set<std::string> missing;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const std::string version = work[i].release->version.text();
    for (const source::MissingPin& pin : results[i].missing) missing.insert(source::missing_text(pin));
    std::set<Component> unread;
    EdgesByPatchset all = read_edges(work[i], results[i].bytes, change.failures, unread, console);
    if (!results[i].missing.empty() && (!goes_on || unread.empty())) continue;
    for (const auto& [id, patchset] : loaded.catalog.patchsets) {
      if (!all.contains(id)) continue;
      keep_other_pin(*work[i].release, patchset, all);
      keep_unread(*work[i].release, unread, patchset, all);
    }
    if (!chosen.empty()) choose_files(loaded.catalog, chosen, all);
    for (const auto& [patchset, edges] : all) {
      change.certified[recorded_path(patchset, "certificates", version)] =
          file_bytes(CertificateFile{patchset, version, {edges.begin(), edges.end()}}, "certificates");
    }
  }
  if (!change.failures.empty()) return {std::move(change.failures), {}, {}, {}};
  if (!missing.empty() && ((!options.releases.empty() && !goes_on) || change.certified.empty()))
    source::raise_missing("reading what the patches touch", {missing.begin(), missing.end()}, source, source.hint());
  change.stale = drop_stale(loaded, options.directory, chosen);
  change.left_out.assign(missing.begin(), missing.end());
  return change;
}

Error certificate_error(const std::set<std::string>& failures) {
  return {ErrorKind::patch,
          concat("no certificates were written, since not every patch applies:\n  ",
                 join({failures.begin(), failures.end()}, "\n  ")),
          "fix the patch, or the release range of its variant"};
}

CertifyReport certify_patches(const catalog::CatalogToCertify& loaded, source::ObjectSource& source,
                              const CertifyOptions& options, Console& console) {
  const CertifiedChange change = certify_in_memory(loaded, source, options, console, !options.releases.empty());
  if (!change.failures.empty()) throw certificate_error(change.failures);
  for (const std::string& path : change.stale.elsewhere)
    console.warning(concat(quote(path), " is stale, but is not under ", quote(options.directory), ": it is kept"));
  tree::FileChanges changes = change.certified;
  changes.insert(change.stale.changes.begin(), change.stale.changes.end());
  tree::change_catalog(options.directory, changes, console);
  CertifyReport report;
  for (const auto& [path, bytes] : changes)
    (bytes ? report.written : report.removed).push_back(concat(options.directory, "/", path));
  report.left_out = change.left_out;
  return report;
}

std::vector<std::string> record_results(const Catalog& catalog, source::ObjectSource& source,
                                        const CertifyOptions& options, Console& console) {
  std::vector<std::string> written;
  for (const Release* release : chosen_releases(catalog, options.releases)) {
    const std::string version = release->version.text();
    const std::vector<Component> components = keys_of(release->components);
    std::map<std::vector<SubmoduleOverride>, trees::PinnedTree> trees;  // each set of overrides is read once
    const auto read = [&](const std::vector<SubmoduleOverride>& overrides) {
      return source::read_closure(*release, components, overrides, catalog.moved_repositories, source, options.jobs,
                                  console, source::Gaps::allowed);
    };
    const auto warn_of_gap = [&](const RepositoryPath& repository, const std::string& path, bool is_submodule) {
      console.warning(concat("release ", version, ": ", repository.text(), ": ", quote(path), " was not found: ",
                             is_submodule ? "no tree is recorded for its component" : "recorded by its id"));
    };
    std::set<Component> partial;  // content that lacks a submodule, of which no pin is known
    for (const auto& [component, pin] : release->components)
      for (const std::string& path : pin.is_content() ? pin.content->absent : std::vector<std::string>()) {
        warn_of_gap({component, ""}, path, true);
        partial.insert(component);
      }
    std::map<Sha256, RecordedResult> results;
    for (const Plan& plan : trees::reachable_plans(catalog, *release)) {
      const bool is_uncertified =
          std::ranges::find(plan.issues, IssueStatus::uncertified, &IssueDecision::status) != plan.issues.end();
      if (is_uncertified || results.contains(plan.digest)) continue;
      const std::vector<SubmoduleOverride> overrides = trees::overrides_of(plan);
      auto pinned = trees.find(overrides);
      if (pinned == trees.end()) {
        source::Closure closure = read(overrides);
        for (const source::ClosureGap& gap : closure.gaps)
          warn_of_gap(gap.repository, gap.entry.path, gap.entry.mode == FileMode::gitlink);
        pinned = trees.try_emplace(overrides, std::move(closure), source).first;
      }
      const trees::PatchedTree patched =
          make_patched_tree(pinned->second, trees::patch_steps(plan.patches), trees::files_to_add(plan.files), console);
      results[plan.digest] = {plan.digest, complete_trees(pinned->second, patched), {}};
      std::erase_if(results[plan.digest].trees, [&](const auto& each) { return partial.contains(each.first); });
    }
    ResultFile recorded{version, {}, {}};
    for (const auto& [digest, result] : results) recorded.results.push_back(result);
    const auto pinned = trees.find({});  // as in the gitlinks
    for (const auto& [component, submodules] :
         source::submodule_pins(pinned == trees.end() ? read({}) : pinned->second.closure()))
      recorded.submodules[release->find(component)->commit] = {submodules.begin(), submodules.end()};
    const std::string file = concat("results/", version, ".json");
    written.push_back(write_recorded(options.directory, {{file, file_bytes(recorded, "results")}}, console).front());
  }
  return written;
}

}  // namespace torchpatch::upkeep
