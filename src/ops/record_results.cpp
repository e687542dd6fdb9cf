// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/manifest/recorded_files.h"
#include "ops/certify.h"
#include "ops/patched_tree.h"
#include "ops/reachable_plans.h"
#include "ops/recorded_data.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

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
              .trees;
    }
    const std::string version = release->version.text();
    written.push_back(
        write_recorded(concat(options.directory, "/results/", version, ".json"), emit::results_json(version, results)));
  }
  return written;
}

}  // namespace torchpatch::ops
