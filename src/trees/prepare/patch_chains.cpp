// SPDX-License-Identifier: BSD-3-Clause
#include "trees/prepare/patch_chains.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "patch/patch_file.h"
#include "plan/fix_choice.h"
#include "plan/make_plan.h"
#include "support/error.h"
#include "support/find.h"
#include "support/text.h"
#include "trees/prepare/patched_tree.h"

namespace torchpatch::trees {

namespace {

bool overlap(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& path) { return b.contains(path); });
}

/// Groups `count` items connected by `is_joined`, directly or indirectly; each group in order, groups by first member.
template <typename IsJoined>
std::vector<std::vector<std::size_t>> group(std::size_t count, const IsJoined& is_joined) {
  std::vector<std::size_t> group_of(count);
  std::iota(group_of.begin(), group_of.end(), std::size_t{0});
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const auto [first, second] = std::minmax({group_of[a], group_of[b]});
      if (first != second && is_joined(a, b)) std::ranges::replace(group_of, second, first);
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < count; ++i) groups[group_of[i]].push_back(i);
  std::vector<std::vector<std::size_t>> result;
  for (auto& [first, members] : groups) result.push_back(std::move(members));
  return result;
}

/// A variant made for the release.
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
    for (const Variant& variant : patchset.variants)
      if (variant.releases.contains(release.version)) choices.push_back({&patchset, &variant, {}});
  }
  for (Choice& choice : choices) {
    for (const auto& [id, issue] : catalog.issues)
      if (std::ranges::count(issue.fixes, choice.patchset->id, &Fix::patchset) > 0) choice.issues.insert(id);
  }
  return choices;
}

/// An issue uses only one fix, so patchsets for the same single issue are never combined.
bool can_come_together(const Choice& a, const Choice& b) {
  return !a.issues.empty() && !b.issues.empty() && (a.issues.size() > 1 || a.issues != b.issues);
}

/// Returns whether an override of `a` affects what a patch of `b` is applied to.
bool overrides_for(const Variant& a, const Variant& b) {
  return std::ranges::any_of(b.patches,
                             [&](const Patch& patch) { return find_override(a.overrides, patch.repository); });
}

bool variants_meet(const Variant& a, const Variant& b, PatchMeetings& meetings) {
  if (overrides_for(a, b) || overrides_for(b, a)) return true;
  return std::ranges::any_of(a.patches, [&](const Patch& patch) {
    return std::ranges::any_of(b.patches, [&](const Patch& other) { return meetings.meet(patch, other); });
  });
}

/// Returns the overrides of the choices, or nothing if two conflict: then no plan has both.
std::optional<std::vector<SubmoduleOverride>> overrides_of_choices(const std::vector<const Choice*>& choices) {
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
  for (const Choice* choice : choices)
    for (const Patch& patch : choice->variant->patches)
      patches.push_back({choice->patchset->id, choice->variant->id, &patch, {}, {}});
  return patches;
}

/// Returns every combination of two or more of `members` that can occur.
std::vector<std::vector<const Choice*>> choices_together(const std::vector<const Choice*>& members) {
  constexpr std::size_t kMostForAll = 5;
  std::vector<std::vector<const Choice*>> chosen = {{}};
  for (const Choice* next : members) {
    const std::size_t count = chosen.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (members.size() > kMostForAll && chosen[i].size() > 1) continue;
      const auto fits = [&](const Choice* each) { return can_come_together(*each, *next); };
      if (!std::ranges::all_of(chosen[i], fits)) continue;
      chosen.push_back(chosen[i]);
      chosen.back().push_back(next);
    }
  }
  std::erase_if(chosen, [](const auto& each) { return each.size() < 2; });
  return chosen;
}

/// Returns a chain without patches.
PatchChain chain_for(const RepositoryPath& repository, const std::vector<SubmoduleOverride>& overrides) {
  PatchChain chain{repository, {}, {}};
  std::ranges::copy_if(overrides, std::back_inserter(chain.overrides),
                       [&](const SubmoduleOverride& each) { return lies_in(repository, each.repository); });
  std::ranges::sort(chain.overrides);
  return chain;
}

/// Returns the action before anything of a chain is applied.
std::string action_of(const PatchChain& chain) {
  if (chain.patches.empty()) return "while replacing a submodule's commit";
  return concat("while applying ", quote(chain.patches[0].patchset + "/" + chain.patches[0].patch->file));
}

std::string problem_of(const Error& error) {
  std::string text;
  for (const std::string& line : error.context()) text += line + ": ";
  return text + error.message();
}

}  // namespace

std::optional<patch::TreeFile> LookupFiles::read(const std::string& path) {
  const auto entry = lookup_.find(repository_, path);
  if (!entry || entry->mode == FileMode::directory) return std::nullopt;
  if (entry->mode == FileMode::gitlink) return patch::TreeFile{entry->mode, entry->id.hex()};
  return patch::TreeFile{entry->mode, lookup_.read_blob(repository_, *entry)};
}

bool LookupFiles::is_directory(const std::string& path) {
  const auto entry = lookup_.find(repository_, path);
  return entry && entry->mode == FileMode::directory;
}

bool LookupFiles::has_others_below(const std::string& path, const std::set<std::string>& removed) {
  return std::ranges::any_of(lookup_.list(repository_, path),
                             [&](const auto& entry) { return !removed.contains(entry.path); });
}

std::vector<Plan> reachable_plans(const Catalog& catalog, const Release& release) {
  // Flags that change which patches apply, for the same board.
  static const std::vector<std::map<std::string, std::string>> kFlags = {
      {}, {{"cross", "true"}}, {{"distributed", "false"}}, {{"cross", "true"}, {"distributed", "false"}}};
  std::vector<Plan> plans;
  for (const auto& [id, board] : catalog.boards) {
    for (const Image& image : board.images) {
      for (const auto& settings : kFlags) {
        PlanOptions options;
        options.settings = settings;
        if (auto plan = plan::plan_if_fits(catalog, release, board, image, options)) plans.push_back(std::move(*plan));
      }
    }
  }
  return plans;
}

const PatchMeetings::Paths& PatchMeetings::paths_of(const Patch& patch) {
  if (const Paths* const known = find_value(paths_, &patch)) return *known;
  const patch::PatchFile parsed = patch::parse_patch(patch.text, patch.file);
  Paths paths;
  for (const patch::FilePatch& file : parsed.files) paths.named.insert({file.old_path, file.new_path});
  paths.named.erase("");
  paths.touched = patch::touched_paths(parsed);
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
  std::set<std::pair<std::vector<SubmoduleOverride>, std::vector<const Patch*>>> known;
  const auto add = [&](const std::vector<PlannedPatch>& patches, const std::vector<SubmoduleOverride>& overrides,
                       std::vector<PatchChain>& list) {
    for (PatchChain& chain : meetings.chains_of(patches, overrides))
      if (known.emplace(chain.overrides, collect(chain.patches, &PlannedPatch::patch)).second)
        list.push_back(std::move(chain));
  };
  const auto add_choices = [&](const std::vector<const Choice*>& choices, std::vector<PatchChain>& list) {
    if (const auto overrides = overrides_of_choices(choices)) add(patches_of(choices), *overrides, list);
  };
  const std::vector<Choice> choices = choices_of(catalog, release);
  for (const Choice& choice : choices)
    if (!choice.variant->patches.empty()) add_choices({&choice}, chains.needed);
  for (const Plan& plan : reachable_plans(catalog, release)) add(plan.patches, overrides_of(plan), chains.needed);
  for (const Choice& choice : choices) add_choices({&choice}, chains.possible);
  const auto meet = [&](std::size_t a, std::size_t b) {
    return variants_meet(*choices[a].variant, *choices[b].variant, meetings);
  };
  for (const auto& members : group(choices.size(), meet)) {
    std::vector<const Choice*> meeting;
    for (const std::size_t i : members) meeting.push_back(&choices[i]);
    for (const auto& together : choices_together(meeting)) add_choices(together, chains.possible);
  }
  return chains;
}

ChainOutcome apply_chain(const PatchChain& chain, const Release& release, source::PinnedLookup& lookup) {
  ChainOutcome outcome;
  try {
    const source::LocatedRepository* repository = lookup.find_repository(release, chain.repository, chain.overrides);
    if (!repository) {
      outcome.problem = concat(action_of(chain), ": the pins have no repository ", quote(chain.repository.text()));
      return outcome;
    }
    LookupFiles files(lookup, *repository);
    outcome.edges = patch::apply_series(patch_steps(chain.patches), chain.repository, files).edges;
  } catch (const source::MissingObject& error) {
    outcome.problem = error.message();
    outcome.missing = error.commit();
  } catch (const patch::ApplyError& error) {
    outcome.problem = problem_of(error);
    outcome.failure = error.failure();
    outcome.path = error.path();
  } catch (const Error& error) {
    outcome.problem = problem_of(error);
  }
  return outcome;
}

}  // namespace torchpatch::trees
