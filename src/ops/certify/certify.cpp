// SPDX-License-Identifier: BSD-3-Clause
#include "ops/certify/certify.h"

#include <algorithm>
#include <tuple>

#include "ops/check/patch_chains.h"
#include "ops/prepare/patched_tree.h"
#include "record/recorded_files.h"
#include "source/closure/pinned_lookup.h"
#include "support/file.h"
#include "support/text.h"
#include "support/wire.h"

namespace torchpatch::ops {

namespace {

/// Patchset id → its edges, without repetitions, sorted by path and patch.
using EdgesByPatchset = std::map<std::string, std::vector<CertificateEdge>>;

void add_edge(std::vector<CertificateEdge>& edges, CertificateEdge edge) {
  const bool is_known = std::any_of(edges.begin(), edges.end(), [&](const CertificateEdge& known) {
    return known.commit == edge.commit && known.repository == edge.repository && known.path == edge.path &&
           known.overridden == edge.overridden && known.patch == edge.patch && known.follows == edge.follows &&
           known.before == edge.before;
  });
  if (!is_known) edges.push_back(std::move(edge));
}

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
      add_edge(all[chain.patches[i].patchset], std::move(certified));
      last[edge.path] = patch.sha256;
    }
  }
}

void sort_edges(std::vector<CertificateEdge>& edges) {
  std::sort(edges.begin(), edges.end(), [](const CertificateEdge& a, const CertificateEdge& b) {
    return std::tie(a.repository, a.overridden, a.path, a.patch, a.follows) <
           std::tie(b.repository, b.overridden, b.path, b.patch, b.follows);
  });
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

std::vector<ReleaseChains> all_chains(const Catalog& catalog, const std::vector<std::string>& releases) {
  PatchMeetings meetings;
  std::vector<ReleaseChains> chains;
  for (const Release* release : chosen_releases(catalog, releases)) {
    chains.push_back(chains_of_release(catalog, *release, meetings));
  }
  return chains;
}

/// The worker's task: what comes of the needed chains of a release, then of the possible ones.
source::LookupTask applying(const std::vector<ReleaseChains>& work) {
  return [&work](source::PinnedLookup& lookup, std::size_t item) {
    WireWriter writer;
    for (const auto* chains : {&work[item].needed, &work[item].possible}) {
      for (const PatchChain& chain : *chains) writer.put(apply_chain(chain, *work[item].release, lookup));
    }
    return writer.take();
  };
}

[[noreturn]] void raise_failures(const std::set<std::string>& failures) {
  throw Error(ErrorKind::patch,
              concat("no certificates were written, since not every patch applies:\n  ",
                     join({failures.begin(), failures.end()}, "\n  ")),
              "mend the patch, or the releases that its variant says it fits");
}

/// Collects the edges of one release out of what its worker sent.
EdgesByPatchset read_edges(const ReleaseChains& work, const std::string& bytes, std::set<std::string>& failures,
                           Console& console) {
  EdgesByPatchset edges;
  WireReader reader(bytes);
  const std::string version = work.release->version.text();
  for (const PatchChain& chain : work.needed) {
    const auto outcome = reader.get<ChainOutcome>();
    if (outcome.problem.empty()) collect_edges(*work.release, chain, outcome, edges);
    if (!outcome.problem.empty() && !outcome.missing) {
      failures.insert(concat("release ", version, ": ", outcome.problem));
    }
  }
  for (const PatchChain& chain : work.possible) {
    const auto outcome = reader.get<ChainOutcome>();
    if (outcome.problem.empty()) collect_edges(*work.release, chain, outcome, edges);
    if (!outcome.problem.empty() && !outcome.missing) {
      console.warning(concat("release ", version, ": ", describe_failure(chain),
                             ", which no board needs by default: ", outcome.problem));
    }
  }
  for (auto& [patchset, list] : edges) sort_edges(list);
  return edges;
}

std::vector<Component> components_of(const Release& release) {
  std::vector<Component> components;
  for (const auto& [component, pin] : release.components) components.push_back(component);
  return components;
}

/// The pinned trees of a release with the overrides of its plans, each read once.
class PinnedTrees {
 public:
  PinnedTrees(const Catalog& catalog, const Release& release, source::ObjectSource& source, int jobs, Console& console)
      : catalog_(catalog), release_(release), source_(source), jobs_(jobs), console_(console) {}

  /// Raises as read_closure.
  PinnedTree& with(const std::vector<SubmoduleOverride>& overrides) {
    const auto known = trees_.find(overrides);
    if (known != trees_.end()) return known->second;
    source::Closure closure = source::read_closure(release_, components_of(release_), overrides,
                                                   catalog_.moved_repositories, source_, jobs_, console_);
    return trees_.try_emplace(overrides, std::move(closure), source_).first->second;
  }

 private:
  const Catalog& catalog_;
  const Release& release_;
  source::ObjectSource& source_;
  int jobs_;
  Console& console_;
  std::map<std::vector<SubmoduleOverride>, PinnedTree> trees_;
};

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

std::vector<std::string> certify_patches(const Catalog& catalog, source::ObjectSource& source,
                                         const CertifyOptions& options, Console& console) {
  const Catalog bare = without_certificates(catalog);
  const std::vector<ReleaseChains> work = all_chains(bare, options.releases);
  const std::vector<source::LookupResult> results =
      source::run_lookups(work.size(), applying(work), bare.moved_repositories, source, options.jobs, console);

  std::map<std::string, std::string> files;
  std::set<std::string> failures, missing;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const std::string version = work[i].release->version.text();
    for (const source::MissingPin& pin : results[i].missing) missing.insert(source::missing_text(pin));
    const EdgesByPatchset all = read_edges(work[i], results[i].bytes, failures, console);
    if (!results[i].missing.empty()) continue;  // half of a chain's certificates would be worse than none
    for (const auto& [patchset, edges] : all) {
      files[concat(options.directory, "/patchsets/", patchset, "/certificates/", version, ".json")] =
          record::certificates_json(patchset, version, edges);
    }
  }
  if (!failures.empty()) raise_failures(failures);
  if (!missing.empty() && (!options.releases.empty() || files.empty())) {
    source::raise_missing("reading what the patches touch", {missing.begin(), missing.end()}, source, source.hint());
  }
  for (const std::string& line : missing) console.warning("left out a release: " + line);
  std::vector<std::string> written;
  for (const auto& [path, bytes] : files) written.push_back(write_recorded(path, bytes));
  return written;
}

std::vector<std::string> record_results(const Catalog& catalog, source::ObjectSource& source,
                                        const CertifyOptions& options, Console& console) {
  std::vector<std::string> written;
  for (const Release* release : chosen_releases(catalog, options.releases)) {
    PinnedTrees trees(catalog, *release, source, options.jobs, console);
    std::map<Sha256, std::map<Component, ObjectId>> results;
    for (const Plan& plan : reachable_plans(catalog, *release)) {
      const bool is_certified = std::none_of(plan.issues.begin(), plan.issues.end(), [](const IssueDecision& decision) {
        return decision.status == IssueStatus::uncertified;
      });
      if (!is_certified || results.contains(plan.digest)) continue;
      results[plan.digest] =
          make_patched_tree(trees.with(overrides_of(plan)), patch_steps(plan.patches), add_steps(plan.files), console)
              .whole.trees;
    }
    const std::string version = release->version.text();
    written.push_back(write_recorded(concat(options.directory, "/results/", version, ".json"),
                                     record::results_json(version, results)));
  }
  return written;
}

}  // namespace torchpatch::ops
