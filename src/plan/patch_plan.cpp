// SPDX-License-Identifier: BSD-3-Clause
#include "plan/patch_plan.h"

#include <algorithm>

#include "plan/override_choice.h"
#include "plan/patchset_order.h"
#include "plan/variant_choice.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

/// Patchset → the choices that it answers, by issue.
using Uses = std::map<std::string, std::vector<FixChoice*>>;

/// Takes a fix back that cannot be used.
void withdraw(FixChoice& choice, IssueStatus status, const std::string& reason) {
  choice.fix = nullptr;
  choice.decision.status = status;
  choice.decision.reason = reason;
}

Uses collect_uses(const Catalog& catalog, std::vector<FixChoice>& choices, const Plan& plan) {
  Uses uses;
  for (FixChoice& choice : choices) {
    if (choice.fix == nullptr || choice.fix->patchset.empty()) {
      continue;
    }
    const std::string& id = choice.fix->patchset;
    if (concerns(catalog.patchset(id), plan.components)) {
      uses[id].push_back(&choice);
    } else {
      withdraw(choice, IssueStatus::not_affected,
               concat("what fix ", quote(choice.fix->id), " changes is not prepared"));
    }
  }
  return uses;
}

std::vector<std::string> issue_ids(const std::vector<FixChoice*>& choices) {
  std::vector<std::string> ids;
  for (const FixChoice* choice : choices) {
    ids.push_back(choice->issue->id);
  }
  return ids;
}

void add_variant(const std::string& patchset, const VariantChoice& chosen, const std::vector<std::string>& issues,
                 Plan& plan) {
  const Variant& variant = *chosen.variant;
  for (const ChosenPatch& patch : chosen.patches) {
    plan.patches.push_back({patchset, variant.id, patch.patch, issues, patch.edges});
  }
  for (const AddedFile& file : variant.files) {
    const Component component = file.repository.component;
    if (std::find(plan.components.begin(), plan.components.end(), component) != plan.components.end()) {
      plan.files.push_back({patchset, variant.id, &file, issues});
    }
  }
}

void settle(const VariantChoice& chosen, FixChoice& choice) {
  if (chosen.variant == nullptr) {
    withdraw(choice, IssueStatus::uncertified, chosen.reason);
    return;
  }
  choice.decision.variant = chosen.variant->id;
  if (!chosen.is_certified) {
    choice.decision.status = IssueStatus::uncertified;
    choice.decision.reason = chosen.reason;
  }
}

}  // namespace

void plan_patches(const Catalog& catalog, std::vector<FixChoice>& choices, Plan& plan) {
  const Uses uses = collect_uses(catalog, choices, plan);
  std::set<std::string> ids;
  std::map<std::string, std::vector<std::string>> issues;
  for (const auto& [id, users] : uses) {
    ids.insert(id);
    issues[id] = issue_ids(users);
  }
  plan.overrides = choose_overrides(catalog, issues, *plan.release, plan.components);
  CertifiedState state;
  for (const PlannedOverride& planned : plan.overrides) {
    state.overrides.push_back(*planned.what);
  }
  for (const std::string& id : order_patchsets(catalog, ids)) {
    const VariantChoice chosen = choose_variant(catalog.patchset(id), *plan.release, plan.components, state);
    if (chosen.variant != nullptr) {
      add_variant(id, chosen, issues.at(id), plan);
    }
    for (FixChoice* choice : uses.at(id)) {
      settle(chosen, *choice);
    }
  }
}

}  // namespace torchpatch::plan
