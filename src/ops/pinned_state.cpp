// SPDX-License-Identifier: BSD-3-Clause
#include "ops/pinned_state.h"

#include <algorithm>

#include "ops/patched_tree.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

bool has(const std::vector<std::string>& issues, const std::string& issue) {
  return std::find(issues.begin(), issues.end(), issue) != issues.end();
}

bool holds(const PatchChain& chain, const Patch* patch) {
  return std::any_of(chain.patches.begin(), chain.patches.end(), [&](const auto& each) { return each.patch == patch; });
}

/// True where a patch or an override of the chain is for the issue.
bool is_for(const PatchChain& chain, const Plan& plan, const std::string& issue) {
  const bool has_patch = std::any_of(plan.patches.begin(), plan.patches.end(), [&](const PlannedPatch& planned) {
    return has(planned.issues, issue) && holds(chain, planned.patch);
  });
  return has_patch || std::any_of(plan.overrides.begin(), plan.overrides.end(), [&](const PlannedOverride& planned) {
           return has(planned.issues, issue) && lies_in(chain.repository, planned.what->repository);
         });
}

Problem not_checked(const std::string& why, const ObjectId& commit) { return {"not checked: " + why, commit, {}}; }

}  // namespace

const std::vector<PatchChain>& PinnedState::chains_of(const Plan& plan) {
  const auto known = chains_.find(plan.digest);
  if (known != chains_.end()) return known->second;
  return chains_[plan.digest] = meetings_.chains_of(plan.patches, overrides_of(plan));
}

const Problem& PinnedState::chain_problem(const PatchChain& chain) {
  ChainKey key{chain.repository, chain.overrides, {}};
  for (const PlannedPatch& each : chain.patches) std::get<2>(key).emplace_back(each.patch, !each.edges.empty());
  const auto known = problems_.find(key);
  if (known != problems_.end()) return known->second;
  Problem& problem = problems_[key];
  try {
    problem = apply(chain);
  } catch (const source::MissingObject& error) {
    problem = not_checked(error.message(), error.commit());
  }
  return problem;
}

/// A patch is certified for a blob: the releases that have it are told where this one has another.
std::string PinnedState::known_releases(const PatchChain& chain, const std::string& path) const {
  std::vector<std::string> releases;
  for (const PlannedPatch& each : chain.patches) {
    for (const CertificateEdge& edge : catalog_.patchset(each.patchset).certificates) {
      if (edge.path != path || edge.repository != each.patch->repository || edge.follows) continue;
      for (std::string& version : catalog_.releases_at(edge.repository.component, edge.commit)) {
        if (version != release_.version.text() && !has(releases, version)) releases.push_back(std::move(version));
      }
    }
  }
  return releases.empty() ? "" : concat("; it is certified for the file of ", join(releases, ", "));
}

/// Where a file is absent it may have moved: those of its name are told.
std::string PinnedState::namesakes(const PatchChain& chain, const std::string& path) {
  const source::LocatedRepository* repository = lookup_.find_repository(release_, chain.repository, chain.overrides);
  std::vector<std::string> places;
  for (const source::PinnedEntry& entry : lookup_.list(*repository, "")) {
    if (base_name(entry.path) == base_name(path)) places.push_back(quote(entry.path));
  }
  if (places.empty() || places.size() > 3) return {};
  return concat("; file moved? ", join(places, ", "), places.size() == 1 ? " has its name" : " have its name");
}

Problem PinnedState::apply(const PatchChain& chain) {
  ChainOutcome outcome = apply_chain(chain, release_, lookup_);
  if (outcome.problem.empty()) return {};
  if (outcome.missing) return not_checked(outcome.problem, *outcome.missing);
  Problem problem{std::move(outcome.problem), {}, outcome.failure};
  if (outcome.failure == patch::Failure::file_absent) problem.reason += namesakes(chain, outcome.path);
  if (outcome.failure == patch::Failure::wrong_content || outcome.failure == patch::Failure::conflict) {
    problem.reason += known_releases(chain, outcome.path);
  }
  if (chain.patches.empty()) return problem;
  const UpstreamState& state = upstream(chain.patches[0].patchset);
  if (state.kind == UpstreamState::fixed) problem.reason += "; fixed upstream: " + state.reason;
  return problem;
}

Problem PinnedState::added_problem(const PlannedFile& planned, const std::vector<SubmoduleOverride>& overrides) {
  const AddedFile& file = *planned.file;
  const std::string who = concat("while adding ", quote(planned.patchset + "/" + file.file), ": ");
  try {
    const source::LocatedRepository* repository = lookup_.find_repository(release_, file.repository, overrides);
    if (!repository) return {concat(who, "the pins have no repository ", quote(file.repository.text())), {}, {}};
    if (!lookup_.find(*repository, file.path)) return {};
    return {concat(who, quote(file.path), " is already in ", file.repository.text()), {}, {}};
  } catch (const source::MissingObject& error) {
    return not_checked(error.message(), error.commit());
  }
}

Problem PinnedState::problem_of(const Plan& plan, const std::string& issue) {
  for (const PatchChain& chain : chains_of(plan)) {
    if (!is_for(chain, plan, issue)) continue;
    const Problem& problem = chain_problem(chain);
    if (!problem.reason.empty()) return problem;
  }
  for (const PlannedFile& planned : plan.files) {
    if (!has(planned.issues, issue)) continue;
    Problem problem = added_problem(planned, overrides_of(plan));
    if (!problem.reason.empty()) return problem;
  }
  return {};
}

const UpstreamState& PinnedState::upstream(const std::string& patchset) {
  const auto known = upstream_.find(patchset);
  if (known != upstream_.end()) return known->second;
  UpstreamState& state = upstream_[patchset];
  try {
    state = upstream_state(catalog_.patchset(patchset), catalog_, release_, lookup_);
  } catch (const source::MissingObject& error) {
    state = {UpstreamState::unknown, "not checked: " + error.message(), error.commit()};
  }
  return state;
}

}  // namespace torchpatch::ops
