// SPDX-License-Identifier: BSD-3-Clause
#include "ops/patch_chains.h"

#include <algorithm>
#include <iterator>

#include "ops/patched_tree.h"
#include "ops/reachable_plans.h"
#include "patch/parse_patch.h"
#include "plan/patchset_order.h"

namespace torchpatch::ops {

namespace {

bool overlap(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& path) { return b.contains(path); });
}

/// Joins the groups of `group_of` that hold a and b.
void unite(std::vector<std::size_t>& group_of, std::size_t a, std::size_t b) {
  const std::size_t from = std::max(group_of[a], group_of[b]);
  const std::size_t to = std::min(group_of[a], group_of[b]);
  std::replace(group_of.begin(), group_of.end(), from, to);
}

/// Groups `count` things that `is_joined` joins, directly or through others; each group in order, by first member.
template <typename IsJoined>
std::vector<std::vector<std::size_t>> group(std::size_t count, const IsJoined& is_joined) {
  std::vector<std::size_t> group_of(count);
  for (std::size_t i = 0; i < count; ++i) group_of[i] = i;
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (group_of[a] != group_of[b] && is_joined(a, b)) unite(group_of, a, b);
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < count; ++i) groups[group_of[i]].push_back(i);
  std::vector<std::vector<std::size_t>> result;
  for (auto& [first, members] : groups) result.push_back(std::move(members));
  return result;
}

/// A variant that is made for the release.
struct Choice {
  const Patchset* patchset = nullptr;
  const Variant* variant = nullptr;
  std::set<std::string> issues;  ///< that have a fix with this patchset
};

std::vector<Choice> choices_of(const Catalog& catalog, const Release& release) {
  std::set<std::string> ids;
  for (const auto& [id, patchset] : catalog.patchsets) ids.insert(id);
  std::vector<Choice> choices;
  for (const std::string& id : plan::order_patchsets(catalog, ids)) {
    const Patchset& patchset = catalog.patchsets.at(id);
    for (const Variant& variant : patchset.variants) {
      if (variant.releases.contains(release.version)) choices.push_back({&patchset, &variant, {}});
    }
  }
  for (Choice& choice : choices) {
    for (const auto& [id, issue] : catalog.issues) {
      for (const Fix& fix : issue.fixes) {
        if (fix.patchset == choice.patchset->id) choice.issues.insert(id);
      }
    }
  }
  return choices;
}

/// One issue uses one fix: patchsets that only the same issue has never come together.
bool can_come_together(const Choice& a, const Choice& b) {
  return !a.issues.empty() && !b.issues.empty() && (a.issues.size() > 1 || a.issues != b.issues);
}

/// True where an override of `a` decides what a patch of `b` finds.
bool overrides_for(const Variant& a, const Variant& b) {
  return std::any_of(b.patches.begin(), b.patches.end(),
                     [&](const Patch& patch) { return find_override(a.overrides, patch.repository) != nullptr; });
}

bool variants_meet(const Variant& a, const Variant& b, PatchMeetings& meetings) {
  if (overrides_for(a, b) || overrides_for(b, a)) return true;
  return std::any_of(a.patches.begin(), a.patches.end(), [&](const Patch& patch) {
    return std::any_of(b.patches.begin(), b.patches.end(),
                       [&](const Patch& other) { return meetings.meet(patch, other); });
  });
}

/// Returns the overrides of the choices, or nothing where two of them override one repository differently: no plan has
/// both.
std::optional<std::vector<SubmoduleOverride>> overrides_of(const std::vector<const Choice*>& choices) {
  std::map<RepositoryPath, SubmoduleOverride> known;
  for (const Choice* choice : choices) {
    for (const SubmoduleOverride& what : choice->variant->overrides) {
      const SubmoduleOverride& other = known.emplace(what.repository, what).first->second;
      if (other.commit != what.commit || other.replaces != what.replaces) return std::nullopt;
    }
  }
  std::vector<SubmoduleOverride> overrides;
  for (const auto& [repository, what] : known) overrides.push_back(what);
  return overrides;
}

std::vector<PlannedPatch> patches_of(const std::vector<const Choice*>& choices) {
  std::vector<PlannedPatch> patches;
  for (const Choice* choice : choices) {
    for (const Patch& patch : choice->variant->patches) {
      patches.push_back({choice->patchset->id, choice->variant->id, &patch, {}, {}});
    }
  }
  return patches;
}

/// Every choice of two or more of `members` that can come together.
std::vector<std::vector<const Choice*>> choices_together(const std::vector<const Choice*>& members) {
  constexpr std::size_t kMostForAll = 5;
  std::vector<std::vector<const Choice*>> chosen = {{}}, result;
  for (const Choice* next : members) {
    const std::size_t count = chosen.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (members.size() > kMostForAll && chosen[i].size() > 1) continue;
      const bool fits = std::all_of(chosen[i].begin(), chosen[i].end(),
                                    [&](const Choice* each) { return can_come_together(*each, *next); });
      if (!fits) continue;
      chosen.push_back(chosen[i]);
      chosen.back().push_back(next);
    }
  }
  std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(result),
               [](const auto& each) { return each.size() > 1; });
  return result;
}

/// Chains, each once.
class ChainSet {
 public:
  explicit ChainSet(PatchMeetings& meetings) : meetings_(meetings) {}

  void add(const std::vector<PlannedPatch>& patches, const std::vector<SubmoduleOverride>& overrides,
           std::vector<PatchChain>& chains) {
    for (PatchChain& chain : meetings_.chains_of(patches, overrides)) {
      std::vector<const Patch*> key;
      for (const PlannedPatch& each : chain.patches) key.push_back(each.patch);
      if (known_.emplace(chain.overrides, std::move(key)).second) chains.push_back(std::move(chain));
    }
  }
  void add(const std::vector<const Choice*>& choices, std::vector<PatchChain>& chains) {
    if (const auto overrides = overrides_of(choices)) add(patches_of(choices), *overrides, chains);
  }

 private:
  PatchMeetings& meetings_;
  std::set<std::pair<std::vector<SubmoduleOverride>, std::vector<const Patch*>>> known_;
};

/// Returns a chain of no patch yet.
PatchChain chain_for(const RepositoryPath& repository, const std::vector<SubmoduleOverride>& overrides) {
  PatchChain chain{repository, {}, {}};
  std::copy_if(overrides.begin(), overrides.end(), std::back_inserter(chain.overrides),
               [&](const SubmoduleOverride& each) { return lies_in(repository, each.repository); });
  std::sort(chain.overrides.begin(), chain.overrides.end());
  return chain;
}

}  // namespace

const PatchMeetings::Paths& PatchMeetings::paths_of(const Patch& patch) {
  const auto known = paths_.find(&patch);
  if (known != paths_.end()) return known->second;
  const patch::PatchFile parsed = patch::parse_patch(patch.text, patch.file);
  Paths paths;
  for (const patch::FilePatch& file : parsed.files) paths.named.insert({file.old_path, file.new_path});
  paths.named.erase("");
  for (const std::string& path : patch::touched_paths(parsed)) paths.touched.insert(path);
  return paths_[&patch] = std::move(paths);
}

bool PatchMeetings::meet(const Patch& a, const Patch& b) {
  if (a.repository != b.repository) return false;
  const auto [known, is_new] = known_.emplace(std::minmax(&a, &b), false);
  if (is_new) {
    const Paths& of_a = paths_of(a);
    const Paths& of_b = paths_of(b);
    known->second = overlap(of_a.named, of_b.touched) || overlap(of_b.named, of_a.touched);
  }
  return known->second;
}

std::vector<PatchChain> PatchMeetings::chains_of(const std::vector<PlannedPatch>& patches,
                                                 const std::vector<SubmoduleOverride>& overrides) {
  std::vector<PatchChain> chains;
  for (const auto& members : group(
           patches.size(), [&](std::size_t a, std::size_t b) { return meet(*patches[a].patch, *patches[b].patch); })) {
    PatchChain& chain = chains.emplace_back(chain_for(patches[members[0]].patch->repository, overrides));
    for (const std::size_t i : members) chain.patches.push_back(patches[i]);
  }
  for (const SubmoduleOverride& each : overrides) chains.push_back(chain_for(each.repository, overrides));
  return chains;
}

ReleaseChains chains_of_release(const Catalog& catalog, const Release& release, PatchMeetings& meetings) {
  ReleaseChains chains{&release, {}, {}};
  ChainSet known(meetings);
  const std::vector<Choice> choices = choices_of(catalog, release);
  for (const Choice& choice : choices) {
    if (!choice.variant->patches.empty()) known.add({&choice}, chains.needed);
  }
  for (const Plan& plan : reachable_plans(catalog, release)) known.add(plan.patches, overrides_of(plan), chains.needed);
  for (const Choice& choice : choices) known.add({&choice}, chains.possible);
  for (const auto& members : group(choices.size(), [&](std::size_t a, std::size_t b) {
         return variants_meet(*choices[a].variant, *choices[b].variant, meetings);
       })) {
    std::vector<const Choice*> meeting;
    for (const std::size_t i : members) meeting.push_back(&choices[i]);
    for (const auto& together : choices_together(meeting)) known.add(together, chains.possible);
  }
  return chains;
}

}  // namespace torchpatch::ops
