// SPDX-License-Identifier: BSD-3-Clause
#include "ops/certify.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "emit/recorded_files.h"
#include "ops/patched_tree.h"
#include "ops/reachable_plans.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// Patches in the order in which some plan applies them, (patchset, patch), to the content that its overrides give.
struct Sequence {
  std::vector<SubmoduleOverride> overrides;
  std::vector<std::pair<std::string, const Patch*>> patches;
  auto operator<=>(const Sequence&) const = default;
};

std::vector<const Release*> chosen_releases(const Catalog& catalog, const std::vector<std::string>& names) {
  std::vector<const Release*> chosen;
  for (const std::string& name : names) chosen.push_back(&catalog.release(name));
  if (!names.empty()) return chosen;
  for (const auto& [version, release] : catalog.releases) chosen.push_back(&release);
  return chosen;
}

/// Every fitting variant alone, and every sequence that a plan reaches.
std::set<Sequence> sequences_of(const Catalog& catalog, const Release& release) {
  std::set<Sequence> sequences;
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      if (!variant.releases.contains(release.version)) continue;
      Sequence alone{variant.overrides, {}};
      for (const Patch& patch : variant.patches) alone.patches.emplace_back(id, &patch);
      sequences.insert(std::move(alone));
    }
  }
  for (const Plan& plan : reachable_plans(catalog, release)) {
    Sequence sequence{overrides_of(plan), {}};
    for (const PlannedPatch& planned : plan.patches) sequence.patches.emplace_back(planned.patchset, planned.patch);
    sequences.insert(std::move(sequence));
  }
  sequences.erase(Sequence{});
  return sequences;
}

std::vector<PatchStep> steps_of(const Sequence& sequence) {
  std::vector<PatchStep> steps;
  for (const auto& [patchset, patch] : sequence.patches)
    steps.push_back({patchset + "/" + patch->file, patch->repository, &patch->text, {}});
  return steps;
}

std::vector<Component> components_of(const Release& release) {
  std::vector<Component> components;
  for (const auto& [component, pin] : release.components) components.push_back(component);
  return components;
}

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

/// Turns what a sequence did into edges: `follows` is the patch before on the same path.
void collect_edges(const Release& release, const Sequence& sequence, const PatchedTree& patched, EdgesByPatchset& all) {
  std::map<std::pair<RepositoryPath, std::string>, Sha256> last;
  for (std::size_t i = 0; i < sequence.patches.size(); ++i) {
    const auto& [patchset, patch] = sequence.patches[i];
    const ComponentPin& pin = *release.find(patch->repository.component);
    const SubmoduleOverride* override = find_override(sequence.overrides, patch->repository);
    for (const patch::Edge& edge : patched.edges[i]) {
      const auto place = std::make_pair(patch->repository, edge.path);
      const auto previous = last.find(place);
      CertificateEdge certified{pin.commit,   patch->repository, edge.path, patch->sha256,
                                std::nullopt, edge.before,       edge.after};
      if (previous != last.end()) certified.follows = previous->second;
      if (override) certified.overridden = override->commit;
      add_edge(all[patchset], std::move(certified));
      last[place] = patch->sha256;
    }
  }
}

void sort_edges(std::vector<CertificateEdge>& edges) {
  std::sort(edges.begin(), edges.end(), [](const CertificateEdge& a, const CertificateEdge& b) {
    return std::tie(a.repository, a.overridden, a.path, a.patch, a.follows) <
           std::tie(b.repository, b.overridden, b.path, b.patch, b.follows);
  });
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

EdgesByPatchset certify_release(const Catalog& catalog, const Release& release, source::ObjectSource& source, int jobs,
                                std::vector<std::string>& failures, Console& console) {
  PinnedTrees trees(catalog, release, source, jobs, console);
  EdgesByPatchset edges;
  for (const Sequence& sequence : sequences_of(catalog, release)) {
    try {
      PinnedTree& pinned = trees.with(sequence.overrides);
      collect_edges(release, sequence, make_patched_tree(pinned, steps_of(sequence), {}, console), edges);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::patch) throw;
      failures.push_back(concat("release ", release.version.text(), ": ", error.message()));
    }
  }
  for (auto& [patchset, list] : edges) sort_edges(list);
  return edges;
}

std::string write_recorded(const std::string& path, const std::string& bytes) {
  make_directories(parent_path(path));
  write_file_atomically(path, bytes);
  return path;
}

/// A catalog whose patches nobody has certified yet, so that plans choose variants by range.
Catalog without_certificates(Catalog catalog) {
  for (auto& [id, patchset] : catalog.patchsets) patchset.certificates.clear();
  return catalog;
}

}  // namespace

std::vector<std::string> certify_patches(const Catalog& catalog, source::ObjectSource& source,
                                         const CertifyOptions& options, Console& console) {
  const Catalog bare = without_certificates(catalog);
  std::map<std::string, std::string> files;
  std::vector<std::string> failures;
  for (const Release* release : chosen_releases(bare, options.releases)) {
    const std::string version = release->version.text();
    for (const auto& [patchset, edges] : certify_release(bare, *release, source, options.jobs, failures, console)) {
      files[concat(options.directory, "/patchsets/", patchset, "/certificates/", version, ".json")] =
          emit::certificates_json(patchset, version, edges);
    }
  }
  if (!failures.empty()) {
    std::sort(failures.begin(), failures.end());
    failures.erase(std::unique(failures.begin(), failures.end()), failures.end());
    throw Error(ErrorKind::patch,
                concat("no certificates were written, since not every patch applies:\n  ", join(failures, "\n  ")),
                "mend the patch, or the releases that its variant says it fits");
  }
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
          make_patched_tree(trees.with(overrides_of(plan)), patch_steps(plan), add_steps(plan), console).trees;
    }
    const std::string version = release->version.text();
    written.push_back(
        write_recorded(concat(options.directory, "/results/", version, ".json"), emit::results_json(version, results)));
  }
  return written;
}

}  // namespace torchpatch::ops
