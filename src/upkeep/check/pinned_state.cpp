// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/check/check.h"

#include <algorithm>
#include <utility>

#include "patch/apply.h"
#include "patch/patch_file.h"
#include "source/closure/commit_history.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "trees/prepare/patched_tree.h"

namespace torchpatch::upkeep {

namespace {

/// Judges a variant by its last patch's result for each file; the reason is the first file's.
PinnedVerdict variant_verdict(const Patchset& patchset, const Variant& variant, const Catalog& catalog,
                              const Release& release, source::PinnedLookup& lookup) {
  if (!variant.overrides.empty()) return {};  // the pinned files do not include the overriding commits
  std::map<std::pair<RepositoryPath, std::string>, std::vector<const CertificateEdge*>> last;
  for (const Patch& patch : variant.patches) {
    auto edges = std::exchange(last, {});
    for (const CertificateEdge& edge : patchset.certificates)
      if (edge.patch == patch.sha256) last[{edge.repository, edge.path}].push_back(&edge);
    last.merge(edges);
  }
  std::vector<std::string> fixed, absent;  // reasons
  for (const auto& [place, edges] : last) {
    const auto& [of, path] = place;
    const std::string name = quote(concat(of.text(), ":", path));
    const source::LocatedRepository* const repository = lookup.find_repository(release, of);
    const auto entry = repository ? lookup.find(*repository, path) : std::nullopt;
    std::optional<ObjectId> id;
    if (entry && entry->mode != FileMode::directory) id = entry->id;
    const auto made = std::ranges::find(edges, id, &CertificateEdge::after);
    if (made != edges.end())
      fixed.push_back(concat(name, id ? concat(" is ", id->hex()) : " does not exist", ", what variant ", variant.id,
                             " makes from that of ", join(catalog.releases_at(of.component, (*made)->commit), ", ")));
    if (!id) absent.push_back(concat("file absent: ", name, " does not exist"));
  }
  if (last.empty()) return {};
  if (fixed.size() == last.size()) return {CellStatus::fixed_upstream, fixed.front(), {}};
  if (absent.size() == last.size()) return {CellStatus::not_affected, absent.front(), {}};
  return {};
}

bool contains_text(const std::vector<std::string>& issues, const std::string& issue) {
  return std::ranges::count(issues, issue) > 0;
}

/// Returns whether a patch or an override of the chain is for the issue.
bool is_for(const trees::PatchChain& chain, const Plan& plan, const std::string& issue) {
  const auto has_patch = [&](const PlannedPatch& planned) {
    return contains_text(planned.issues, issue) &&
           std::ranges::count(chain.patches, planned.patch, &PlannedPatch::patch) > 0;
  };
  const auto has_override = [&](const PlannedOverride& planned) {
    return contains_text(planned.issues, issue) && lies_in(chain.repository, planned.what->repository);
  };
  return std::ranges::any_of(plan.patches, has_patch) || std::ranges::any_of(plan.overrides, has_override);
}

/// Returns the change of a file by the first patch of a chain that touches it.
std::optional<patch::FilePatch> first_change_of(const trees::PatchChain& chain, const std::string& path) {
  for (const PlannedPatch& planned : chain.patches)
    for (patch::FilePatch& file : patch::parse_patch(planned.patch->text, planned.patch->file).files)
      if (file.old_path == path && !file.old_id.empty()) return std::move(file);
  return std::nullopt;
}

bool fits(const patch::FilePatch& file, const source::FileChange& change, source::CommitHistory& history) {
  try {
    std::optional<patch::TreeFile> content;
    if (change.blob) content = {FileMode::regular, history.read_blob(*change.blob)};
    std::vector<patch::MovedHunk> moved;
    patch::apply_content(file, content, moved);
    return true;
  } catch (const patch::ApplyError&) {
    return false;
  }
}

/// Returns the release's repository if it has the file that a patch was made for, or null.
const source::LocatedRepository* made_for(const patch::FilePatch& file, const trees::PatchChain& chain,
                                          const Release& release, source::PinnedLookup& lookup) {
  try {
    const source::LocatedRepository* repository = lookup.find_repository(release, chain.repository);
    const auto entry = repository ? lookup.find(*repository, file.old_path) : std::nullopt;
    return entry && starts_with(entry->id.hex(), file.old_id) ? repository : nullptr;
  } catch (const Error&) {  // its sources are unavailable or refused
    return nullptr;
  }
}

PinnedVerdict not_checked(const std::string& why, const ObjectId& commit) {
  return {CellStatus::undecided, "not checked: " + why, commit};
}

}  // namespace

std::string upstream_change_text(const Catalog& catalog, const Release& release, const trees::PatchChain& chain,
                                 const trees::ChainOutcome& outcome, source::PinnedLookup& lookup) {
  if (!outcome.failure) return {};
  const std::optional<patch::FilePatch> file = first_change_of(chain, outcome.path);
  if (!file) return {};
  const source::LocatedRepository* now = lookup.find_repository(release, chain.repository, chain.overrides);
  source::PinnedLookup others(lookup.store(), catalog.moved_repositories);  // what these lack does not count as missing
  for (const Release* other : nearest_releases(catalog, release.version)) {
    const source::LocatedRepository* from = made_for(*file, chain, *other, others);
    if (!from) continue;
    source::CommitHistory history(lookup.store(), from->pin.commit, now->pin.commit);
    try {
      for (const source::FileChange& change : history.changes_of(file->old_path))
        if (!fits(*file, change, history))
          return concat("; upstream changed it in ", change.commit.id.hex().substr(0, 12), " (", change.commit.subject,
                        ")");
    } catch (const source::AbsentObject&) {
    }
    return {};
  }
  return {};
}

const std::vector<trees::PatchChain>& PinnedState::chains_of(const Plan& plan) {
  if (const auto* const known = find_value(chains_, plan.digest)) return *known;
  return chains_[plan.digest] = meetings_.chains_of(plan.patches, trees::overrides_of(plan));
}

const PinnedVerdict& PinnedState::chain_problem(const trees::PatchChain& chain) {
  ChainKey key{chain.repository, chain.overrides, {}};
  for (const PlannedPatch& each : chain.patches) std::get<2>(key).emplace_back(each.patch, !each.edges.empty());
  if (const PinnedVerdict* const known = find_value(problems_, key)) return *known;
  PinnedVerdict& problem = problems_[key];
  try {
    problem = apply(chain);
  } catch (const source::MissingObject& error) {
    problem = not_checked(error.message(), error.commit());
  }
  return problem;
}

/// A certificate is for a blob: lists the releases that have it, if this one has another.
std::string PinnedState::known_releases(const trees::PatchChain& chain, const std::string& path) const {
  std::vector<std::string> releases;
  for (const PlannedPatch& each : chain.patches) {
    for (const CertificateEdge& edge : catalog_.patchset(each.patchset).certificates) {
      if (edge.path != path || edge.repository != each.patch->repository || edge.follows) continue;
      for (std::string& version : catalog_.releases_at(edge.repository.component, edge.commit))
        if (version != release_.version.text() && !contains_text(releases, version))
          releases.push_back(std::move(version));
    }
  }
  return releases.empty() ? "" : concat("; certified for the file of ", join(releases, ", "));
}

/// A missing file may have moved: lists files of the same name.
std::string PinnedState::namesakes(const trees::PatchChain& chain, const std::string& path) {
  const source::LocatedRepository* repository = lookup_.find_repository(release_, chain.repository, chain.overrides);
  std::vector<std::string> places;
  for (const source::PinnedEntry& entry : lookup_.list(*repository, ""))
    if (base_name(entry.path) == base_name(path)) places.push_back(quote(entry.path));
  if (places.empty() || places.size() > 3) return {};
  return concat("; file moved? ", join(places, ", "), places.size() == 1 ? " has its name" : " have its name");
}

PinnedVerdict PinnedState::apply(const trees::PatchChain& chain) {
  trees::ChainOutcome outcome = trees::apply_chain(chain, release_, lookup_);
  if (outcome.problem.empty()) return {};
  if (outcome.missing) return not_checked(outcome.problem, *outcome.missing);
  const bool is_there = outcome.failure == patch::Failure::already_applied;
  PinnedVerdict problem{is_there ? CellStatus::fixed_upstream : CellStatus::broken,
                        outcome.problem + upstream_change_text(catalog_, release_, chain, outcome, lookup_),
                        {}};
  if (outcome.failure == patch::Failure::file_absent) problem.reason += namesakes(chain, outcome.path);
  if (outcome.failure == patch::Failure::wrong_content || outcome.failure == patch::Failure::conflict)
    problem.reason += known_releases(chain, outcome.path);
  if (chain.patches.empty()) return problem;
  const PinnedVerdict& state = upstream(chain.patches[0].patchset);
  if (state.status == CellStatus::fixed_upstream) problem.reason += "; fixed upstream: " + state.reason;
  return problem;
}

PinnedVerdict PinnedState::added_problem(const PlannedFile& planned, const std::vector<SubmoduleOverride>& overrides) {
  const AddedFile& file = *planned.file;
  const std::string who = concat("while adding ", quote(planned.patchset + "/" + file.file), ": ");
  try {
    const source::LocatedRepository* repository = lookup_.find_repository(release_, file.repository, overrides);
    if (!repository)
      return {CellStatus::broken, concat(who, "the pins have no repository ", quote(file.repository.text())), {}};
    if (!lookup_.find(*repository, file.path)) return {};
    return {CellStatus::broken, concat(who, quote(file.path), " is already in ", file.repository.text()), {}};
  } catch (const source::MissingObject& error) {
    return not_checked(error.message(), error.commit());
  }
}

PinnedVerdict PinnedState::problem_of(const Plan& plan, const std::string& issue) {
  for (const trees::PatchChain& chain : chains_of(plan)) {
    if (!is_for(chain, plan, issue)) continue;
    const PinnedVerdict& problem = chain_problem(chain);
    if (!problem.reason.empty()) return problem;
  }
  for (const PlannedFile& planned : plan.files) {
    if (!contains_text(planned.issues, issue)) continue;
    PinnedVerdict problem = added_problem(planned, trees::overrides_of(plan));
    if (!problem.reason.empty()) return problem;
  }
  return {};
}

const PinnedVerdict& PinnedState::upstream(const std::string& id) {
  if (const PinnedVerdict* const known = find_value(upstream_, id)) return *known;
  PinnedVerdict& verdict = upstream_[id];
  const Patchset& patchset = catalog_.patchset(id);
  std::size_t absent = 0;  // number of variants
  try {
    for (const Variant& variant : patchset.variants) {
      verdict = variant_verdict(patchset, variant, catalog_, release_, lookup_);
      if (verdict.status == CellStatus::fixed_upstream) return verdict;
      absent += verdict.status == CellStatus::not_affected ? 1 : 0;
    }
    if (absent < patchset.variants.size()) verdict = {};
  } catch (const source::MissingObject& error) {
    verdict = not_checked(error.message(), error.commit());
  }
  return verdict;
}

}  // namespace torchpatch::upkeep
