// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/recorded_files.h"
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

}  // namespace

std::vector<std::string> record_results(const Catalog& catalog, source::ObjectSource& source,
                                        const CertifyOptions& options, Console& console) {
  std::vector<std::string> written;
  for (const Release* release : chosen_releases(catalog, options.releases)) {
    PinnedTree pinned(source::read_closure(*release, components_of(*release), catalog.moved_repositories, source,
                                           options.jobs, console),
                      source);
    std::map<Sha256, std::map<Component, ObjectId>> results;
    for (const Plan& plan : reachable_plans(catalog, *release)) {
      const bool is_certified = std::none_of(plan.issues.begin(), plan.issues.end(), [](const IssueDecision& decision) {
        return decision.status == IssueStatus::uncertified;
      });
      if (!is_certified || results.contains(plan.digest)) continue;
      results[plan.digest] = make_patched_tree(pinned, patch_steps(plan.patches), add_steps(plan.files), console).trees;
    }
    const std::string version = release->version.text();
    written.push_back(
        write_recorded(concat(options.directory, "/results/", version, ".json"), emit::results_json(version, results)));
  }
  return written;
}

}  // namespace torchpatch::ops
