// SPDX-License-Identifier: BSD-3-Clause
#include "plan/variant_choice.h"

#include <algorithm>
#include <tuple>

#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

bool waits_for_none_of(const Patchset& patchset, const std::set<std::string>& ids) {
  return std::ranges::none_of(patchset.after, [&](const std::string& earlier) { return ids.contains(earlier); });
}

std::string side_text(const PlannedOverride& planned) {
  return concat("patchset ", quote(planned.patchset), " takes ", planned.what->commit.hex(), " for ",
                planned.what->replaces.hex());
}

/// Adds the issues of an override that another patchset asks for as well.
void join_override(const PlannedOverride& planned, PlannedOverride& known) {
  const auto key = [](const PlannedOverride& each) { return std::tie(each.what->replaces, each.what->commit); };
  if (key(planned) != key(known)) {
    throw Error(ErrorKind::patch,
                concat("two fixes override the submodule ", known.what->repository.text(),
                       " differently: ", side_text(known), ", ", side_text(planned)),
                "leave one of them out with --without FIX");
  }
  known.issues.insert(known.issues.end(), planned.issues.begin(), planned.issues.end());
  std::ranges::sort(known.issues);
  known.issues.erase(std::unique(known.issues.begin(), known.issues.end()), known.issues.end());
}

bool is_prepared(const RepositoryPath& repository, const std::vector<Component>& components) {
  return std::ranges::count(components, repository.component) > 0;
}

bool concerns(const Variant& variant, const std::vector<Component>& components) {
  const auto is_of_them = [&](const auto& part) { return is_prepared(part.repository, components); };
  return std::ranges::any_of(variant.patches, is_of_them) || std::ranges::any_of(variant.files, is_of_them) ||
         std::ranges::any_of(variant.overrides, is_of_them);
}

/// Path → the edges that a patch has for it in the pinned commit, or in what an override puts there.
using EdgesByPath = std::map<std::string, std::vector<CertificateEdge>>;

EdgesByPath edges_of(const Patchset& patchset, const Patch& patch, const ObjectId& commit,
                     const SubmoduleOverride* override) {
  EdgesByPath edges;
  const std::optional<ObjectId> overridden = override ? std::optional(override->commit) : std::nullopt;
  for (const CertificateEdge& edge : patchset.certificates)
    if (edge.patch == patch.sha256 && edge.repository == patch.repository && edge.commit == commit &&
        edge.overridden == overridden)
      edges[edge.path].push_back(edge);
  return edges;
}

/// True where the edge goes on from what the patches so far have made of its file.
bool goes_on(const CertificateEdge& edge, const CertifiedState& state) {
  const CertifiedState::File* const file = find_value(state.files, std::pair(edge.repository, edge.path));
  return file ? edge.follows == file->patch && edge.before == file->blob : !edge.follows;
}

/// The chain of one variant, as far as it reaches.
struct Chain {
  std::vector<ChosenPatch> patches;
  CertifiedState state;
  std::string problem;  ///< empty where every patch has its edges
};

/// "torch at 142c973f4179", "torch at 142c973f4179 with torch:third_party/onnx at 28ca699b69b5"
std::string pins_text(const Component component, const ComponentPin* pin, const SubmoduleOverride* override) {
  const std::string text =
      concat(component_name(component), " at ", pin ? pin->commit.hex().substr(0, 12) : "no commit");
  return override ? concat(text, " with ", override->repository.text(), " at ", override->commit.hex().substr(0, 12))
                  : text;
}

/// Adds a patch to the chain, or says why it cannot go on.
void add_patch(const Patchset& patchset, const Patch& patch, const Release& release, Chain& chain) {
  const Component component = patch.repository.component;
  const ComponentPin* pin = release.find(component);
  const SubmoduleOverride* override = find_override(chain.state.overrides, patch.repository);
  const EdgesByPath candidates = pin ? edges_of(patchset, patch, pin->commit, override) : EdgesByPath{};
  if (candidates.empty()) {
    chain.problem =
        concat("patch ", quote(patch.file), " has no certificate for ", pins_text(component, pin, override));
    return;
  }
  ChosenPatch chosen{&patch, {}};
  for (const auto& [path, edges] : candidates) {
    const auto fits = [&](const CertificateEdge& candidate) { return goes_on(candidate, chain.state); };
    const CertificateEdge* const edge = find_where(edges, fits);
    if (!edge) {
      chain.problem = concat("patch ", quote(patch.file), " has no certificate for ", quote(path),
                             " as the patches before it leave that file");
      return;
    }
    chosen.edges.push_back(*edge);
  }
  for (const CertificateEdge& edge : chosen.edges)
    chain.state.files[{edge.repository, edge.path}] = {patch.sha256, edge.after};
  chain.patches.push_back(std::move(chosen));
}

Chain follow_chain(const Patchset& patchset, const Variant& variant, const Release& release,
                   const std::vector<Component>& components, const CertifiedState& state) {
  Chain chain{{}, state, {}};
  for (const Patch& patch : variant.patches)
    if (chain.problem.empty() && is_prepared(patch.repository, components)) add_patch(patchset, patch, release, chain);
  return chain;
}

std::vector<ChosenPatch> uncertified_patches(const Variant& variant, const std::vector<Component>& components) {
  std::vector<ChosenPatch> patches;
  for (const Patch& patch : variant.patches)
    if (is_prepared(patch.repository, components)) patches.push_back({&patch, {}});
  return patches;
}

/// Returns the variants to choose from: the one with overrides alone where there is one, else those without.
std::vector<const Variant*> candidates(const Patchset& patchset, const Release& release,
                                       const std::vector<Component>& components) {
  if (const Variant* overriding = overriding_variant(patchset, release, components)) return {overriding};
  std::vector<const Variant*> variants;
  for (const Variant& variant : patchset.variants)
    if (variant.overrides.empty() && concerns(variant, components)) variants.push_back(&variant);
  return variants;
}

}  // namespace

std::vector<std::string> order_patchsets(const Catalog& catalog, std::set<std::string> ids) {
  std::vector<std::string> order;
  while (!ids.empty()) {
    auto next = std::ranges::find_if(
        ids, [&](const std::string& id) { return waits_for_none_of(catalog.patchsets.at(id), ids); });
    if (next == ids.end()) next = ids.begin();
    order.push_back(*next);
    ids.erase(next);
  }
  return order;
}

std::vector<PlannedOverride> choose_overrides(const Catalog& catalog,
                                              const std::map<std::string, std::vector<std::string>>& used,
                                              const Release& release, const std::vector<Component>& components) {
  std::map<RepositoryPath, PlannedOverride> chosen;
  for (const auto& [id, issues] : used) {
    const Variant* variant = overriding_variant(catalog.patchset(id), release, components);
    if (variant == nullptr) continue;
    for (const SubmoduleOverride& what : variant->overrides) {
      if (!is_prepared(what.repository, components)) continue;
      const PlannedOverride planned{id, variant->id, &what, issues};
      const auto [known, is_new] = chosen.emplace(what.repository, planned);
      if (!is_new) join_override(planned, known->second);
    }
  }
  return collect(chosen, [](const auto& each) { return each.second; });
}

const Variant* overriding_variant(const Patchset& patchset, const Release& release,
                                  const std::vector<Component>& components) {
  return find_where(patchset.variants, [&](const Variant& variant) {
    return !variant.overrides.empty() && variant.releases.contains(release.version) && concerns(variant, components);
  });
}

bool concerns(const Patchset& patchset, const std::vector<Component>& components) {
  return std::ranges::any_of(patchset.variants, [&](const Variant& variant) { return concerns(variant, components); });
}

VariantChoice choose_variant(const Patchset& patchset, const Release& release, const std::vector<Component>& components,
                             CertifiedState& state) {
  VariantChoice fallback{
      nullptr, false, concat("no variant of ", quote(patchset.id), " is made for ", release.version.text()), {}};
  for (const Variant* variant : candidates(patchset, release, components)) {
    Chain chain = follow_chain(patchset, *variant, release, components, state);
    const bool is_in_range = variant->releases.contains(release.version);
    if (chain.problem.empty() && (is_in_range || !chain.patches.empty())) {
      state = std::move(chain.state);
      return {variant, true, {}, std::move(chain.patches)};
    }
    if (is_in_range) {
      fallback = {variant, false, concat("variant ", variant->id, ": ", chain.problem),
                  uncertified_patches(*variant, components)};
    }
  }
  return fallback;
}

}  // namespace torchpatch::plan
