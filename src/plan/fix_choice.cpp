// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fix_choice.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

/// A verdict on an issue or fix, with the reason.
struct Outcome {
  IssueStatus status;
  std::string reason;
  const Fix* fix = nullptr;
};

std::string ranges_text(const std::vector<VersionRange>& ranges) {
  return join(collect(ranges, &VersionRange::text), " or ");
}

/// Judges an issue by release and facts; `applied` means that they match.
Outcome judge_issue(const Issue& issue, const Release& release, const Facts& facts) {
  const std::string who = concat("release ", release.version.text());
  if (!affects(issue, release.version))
    return {IssueStatus::not_affected, concat(who, " is not in ", ranges_text(issue.releases))};
  const Verdict verdict = evaluate(issue.when, facts);
  if (verdict.truth == Truth::no) return {IssueStatus::not_affected, join(verdict.reasons, "; ")};
  if (verdict.truth == Truth::unknown) return {IssueStatus::undecided, join(verdict.reasons, "; ")};
  std::vector<std::string> reasons = {concat(who, " is in ", ranges_text(issue.releases))};
  reasons.insert(reasons.end(), verdict.reasons.begin(), verdict.reasons.end());
  return {IssueStatus::applied, join(reasons, "; ")};
}

const Fix* asked_for(const Issue& issue, const PlanOptions& options) {
  return find_where(issue.fixes, [&](const Fix& fix) { return options.with_fixes.contains(fix.id); });
}

/// Returns the first fix that is not optional and whose `when` holds, or why there is none.
Outcome find_fix(const Issue& issue, const Facts& facts) {
  std::vector<std::string> reasons, optional_fixes;
  for (const Fix& fix : issue.fixes) {
    if (fix.is_optional) {
      optional_fixes.push_back("--with " + fix.id);
      continue;
    }
    const Verdict verdict = evaluate(fix.when, facts);
    const std::string reason = concat("fix ", quote(fix.id), ": ", join(verdict.reasons, "; "));
    if (verdict.truth == Truth::yes) return {IssueStatus::applied, "", &fix};
    if (verdict.truth == Truth::unknown) return {IssueStatus::undecided, reason};
    reasons.push_back(reason);
  }
  if (!optional_fixes.empty()) reasons.push_back(concat("optional: ", join(optional_fixes, " or ")));
  return {IssueStatus::declined, concat("no fix is used by default: ", join(reasons, "; "))};
}

/// Returns the fix for an issue that applies, or why there is none.
Outcome answer_issue(const Issue& issue, const Facts& facts, const PlanOptions& options) {
  const Fix* asked = asked_for(issue, options);
  Outcome outcome = asked ? Outcome{IssueStatus::applied, "", asked} : find_fix(issue, facts);
  if (outcome.status != IssueStatus::applied) return outcome;
  const FixKind kind = outcome.fix->kind;
  if (options.without_fixes.contains(outcome.fix->id))
    return {IssueStatus::declined, concat("--without ", outcome.fix->id)};
  if (options.unpatched && (kind == FixKind::patch || kind == FixKind::files))
    return {IssueStatus::declined, concat("--unpatched: fix ", quote(outcome.fix->id), " changes the tree")};
  return outcome;
}

FixChoice choose_fix(const Issue& issue, const Release& release, const Facts& facts, const PlanOptions& options) {
  FixChoice choice;
  choice.issue = &issue;
  choice.decision.issue = issue.id;
  Outcome outcome = judge_issue(issue, release, facts);
  const bool is_settled_by_user = outcome.status == IssueStatus::undecided && asked_for(issue, options) != nullptr;
  if (outcome.status == IssueStatus::applied || is_settled_by_user) {
    const std::string why = is_settled_by_user ? concat("--with, though ", outcome.reason) : outcome.reason;
    outcome = answer_issue(issue, facts, options);
    outcome.reason = outcome.reason.empty() ? why : outcome.reason;
  }
  choice.decision.status = outcome.status;
  choice.decision.reason = outcome.reason;
  if (outcome.fix != nullptr) {
    choice.fix = outcome.fix;
    choice.decision.fix = outcome.fix->id;
    choice.decision.kind = outcome.fix->kind;
  }
  return choice;
}

/// Returns the issue with this fix. Raises usage if there is none.
const Issue& issue_of_fix(const Catalog& catalog, std::string_view option, const std::string& id) {
  std::vector<std::string> known;
  for (const auto& [issue_id, issue] : catalog.issues) {
    for (const Fix& fix : issue.fixes) {
      if (fix.id == id) return issue;
      known.push_back(fix.id);
    }
  }
  const std::string near = did_you_mean(id, known);
  throw Error(ErrorKind::usage, concat(option, ' ', quote(id), ": no issue has this fix"),
              near.empty() ? "'torchpatch list fixes' lists them" : near);
}

/// Returns the choice for the issue with this fix.
const FixChoice* choice_of_fix(const std::vector<FixChoice>& choices, const std::string& id) {
  return find_where(choices,
                    [&](const FixChoice& choice) { return std::ranges::count(choice.issue->fixes, id, &Fix::id) > 0; });
}

bool waits_for_none_of(const Patchset& patchset, const std::set<std::string>& ids) {
  return std::ranges::none_of(patchset.after, [&](const std::string& earlier) { return ids.contains(earlier); });
}

std::string side_text(const PlannedOverride& planned) {
  return concat("patchset ", quote(planned.patchset), " uses ", planned.what->commit.hex(), " for ",
                planned.what->replaces.hex());
}

/// Adds the issues of an override that another patchset requires too.
void join_override(const PlannedOverride& planned, PlannedOverride& known) {
  const auto key = [](const PlannedOverride& each) { return std::tie(each.what->replaces, each.what->commit); };
  if (key(planned) != key(known)) {
    throw Error(ErrorKind::patch,
                concat("two fixes override the submodule ", known.what->repository.text(),
                       " differently: ", side_text(known), ", ", side_text(planned)),
                "drop one of them with --without FIX");
  }
  known.issues.insert(known.issues.end(), planned.issues.begin(), planned.issues.end());
  std::ranges::sort(known.issues);
  known.issues.erase(std::unique(known.issues.begin(), known.issues.end()), known.issues.end());
}

bool is_prepared(const RepositoryPath& repository, const std::vector<Component>& components) {
  return std::ranges::count(components, repository.component) > 0;
}

bool changes_prepared(const Variant& variant, const std::vector<Component>& components) {
  const auto is_of_them = [&](const auto& part) { return is_prepared(part.repository, components); };
  return std::ranges::any_of(variant.patches, is_of_them) || std::ranges::any_of(variant.files, is_of_them) ||
         std::ranges::any_of(variant.overrides, is_of_them);
}

/// Returns the variant with overrides that covers the release and changes a prepared component, or null. If there is
/// one, no other variant of its patchset is used for that release.
const Variant* overriding_variant(const Patchset& patchset, const Release& release,
                                  const std::vector<Component>& components) {
  return find_where(patchset.variants, [&](const Variant& variant) {
    return !variant.overrides.empty() && variant.releases.contains(release.version) &&
           changes_prepared(variant, components);
  });
}

/// Returns the overrides of `used` (patchset → issues) for this release and these components, by repository. Two
/// patchsets may share an override. Raises patch if theirs differ.
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

/// The overrides of the plan, and the result of the certified patches so far for each file.
struct CertifiedState {
  struct File {
    Sha256 patch;                  ///< the last patch that touched it
    std::optional<ObjectId> blob;  ///< its result; nothing = deleted
  };
  std::vector<SubmoduleOverride> overrides;
  std::map<std::pair<RepositoryPath, std::string>, File> files;
};

struct VariantChoice {
  const Variant* variant = nullptr;  ///< null: none is made for this release
  bool is_certified = false;
  std::string reason{};                 ///< why not certified, in words
  std::vector<PlannedPatch> patches{};  ///< those in a prepared component; without issues
};

/// Path → a patch's edges for it in the tree of a commit, or of an override.
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

/// Returns the edges of the pinned commit, or if there are none, of the other kind of pin: a patch has the same effect
/// on a blob in both, and a file with another blob is refused when the patch is applied.
EdgesByPath pinned_edges(const Patchset& patchset, const Patch& patch, const ComponentPin& pin,
                         const SubmoduleOverride* override) {
  EdgesByPath edges = edges_of(patchset, patch, pin.commit, override);
  const std::optional<ObjectId> other = pin.other_commit();
  return edges.empty() && other ? edges_of(patchset, patch, *other, override) : edges;
}

/// Returns whether the edge continues from the result of the patches so far.
bool goes_on(const CertificateEdge& edge, const CertifiedState& state) {
  const CertifiedState::File* const file = find_value(state.files, std::pair(edge.repository, edge.path));
  return file ? edge.follows == file->patch && edge.before == file->blob : !edge.follows;
}

/// "torch at 142c973f4179", "torch at 142c973f4179 with torch:third_party/onnx at 28ca699b69b5"
std::string pins_text(const Component component, const ComponentPin* pin, const SubmoduleOverride* override) {
  const std::string text = concat(name_of(component), " at ", pin ? pin->commit.hex().substr(0, 12) : "no commit");
  return override ? concat(text, " with ", override->repository.text(), " at ", override->commit.hex().substr(0, 12))
                  : text;
}

/// Adds a patch to the chain of a variant, or sets the reason why it cannot continue.
void add_patch(const Patchset& patchset, const Patch& patch, const Release& release, CertifiedState& state,
               VariantChoice& chain) {
  const Component component = patch.repository.component;
  const ComponentPin* pin = release.find(component);
  const SubmoduleOverride* override = find_override(state.overrides, patch.repository);
  const EdgesByPath candidates = pin ? pinned_edges(patchset, patch, *pin, override) : EdgesByPath{};
  if (candidates.empty()) {
    chain.reason = concat("patch ", quote(patch.file), " has no certificate for ", pins_text(component, pin, override));
    return;
  }
  PlannedPatch chosen{patchset.id, chain.variant->id, &patch, {}, {}};
  for (const auto& [path, edges] : candidates) {
    const auto fits = [&](const CertificateEdge& candidate) { return goes_on(candidate, state); };
    const CertificateEdge* const edge = find_where(edges, fits);
    if (!edge) {
      chain.reason = concat("patch ", quote(patch.file), " has no certificate for ", quote(path),
                            " as the previous patches leave that file");
      return;
    }
    chosen.edges.push_back({path, edge->before, edge->after});
  }
  for (const PatchEdge& edge : chosen.edges) state.files[{patch.repository, edge.path}] = {patch.sha256, edge.after};
  chain.patches.push_back(std::move(chosen));
}

/// Returns the chain of one variant as far as possible, and why it ends.
VariantChoice follow_chain(const Patchset& patchset, const Variant& variant, const Release& release,
                           const std::vector<Component>& components, CertifiedState& state) {
  VariantChoice chain{&variant, true};
  for (const Patch& patch : variant.patches)
    if (chain.reason.empty() && is_prepared(patch.repository, components))
      add_patch(patchset, patch, release, state, chain);
  return chain;
}

/// Returns the variants to choose from: only the one with overrides if there is one, else those without.
std::vector<const Variant*> candidates(const Patchset& patchset, const Release& release,
                                       const std::vector<Component>& components) {
  if (const Variant* overriding = overriding_variant(patchset, release, components)) return {overriding};
  std::vector<const Variant*> variants;
  for (const Variant& variant : patchset.variants)
    if (variant.overrides.empty() && changes_prepared(variant, components)) variants.push_back(&variant);
  return variants;
}

VariantChoice choose_variant(const Patchset& patchset, const Release& release, const std::vector<Component>& components,
                             CertifiedState& state) {
  VariantChoice fallback{
      nullptr, false, concat("no variant of ", quote(patchset.id), " is made for ", release.version.text()), {}};
  for (const Variant* variant : candidates(patchset, release, components)) {
    CertifiedState after = state;
    VariantChoice chain = follow_chain(patchset, *variant, release, components, after);
    const bool is_in_range = variant->releases.contains(release.version);
    if (chain.reason.empty() && (is_in_range || !chain.patches.empty())) {
      state = std::move(after);
      return chain;
    }
    if (!is_in_range) continue;
    fallback = {variant, false, concat("variant ", variant->id, ": ", chain.reason), {}};
    for (const Patch& patch : variant->patches)
      if (is_prepared(patch.repository, components))
        fallback.patches.push_back({patchset.id, variant->id, &patch, {}, {}});
  }
  return fallback;
}

/// Withdraws a fix that cannot be used.
void withdraw(FixChoice& choice, IssueStatus status, const std::string& reason) {
  choice.fix = nullptr;
  choice.decision.status = status;
  choice.decision.reason = reason;
}

void settle(const VariantChoice& chosen, FixChoice& choice) {
  if (chosen.variant == nullptr) return withdraw(choice, IssueStatus::uncertified, chosen.reason);
  choice.decision.variant = chosen.variant->id;
  if (chosen.is_certified) return;
  choice.decision.status = IssueStatus::uncertified;
  choice.decision.reason = chosen.reason;
}

}  // namespace

void check_fix_options(const Catalog& catalog, const PlanOptions& options) {
  std::map<std::string, std::string> asked;
  for (const std::string& id : options.with_fixes) {
    const Issue& issue = issue_of_fix(catalog, "--with", id);
    const auto [known, is_new] = asked.emplace(issue.id, id);
    if (!is_new) {
      throw Error(ErrorKind::usage, concat("--with ", known->second, " and --with ", id, " both fix the issue ",
                                           quote(issue.id), "; use one of them"));
    }
    if (options.without_fixes.contains(id))
      throw Error(ErrorKind::usage, concat("--with ", id, " and --without ", id, " cannot be used together"));
  }
  for (const std::string& id : options.without_fixes) issue_of_fix(catalog, "--without", id);
}

std::vector<FixChoice> choose_fixes(const Catalog& catalog, const Release& release, const Facts& facts,
                                    const PlanOptions& options) {
  std::vector<FixChoice> choices;
  for (const auto& [id, issue] : catalog.issues) choices.push_back(choose_fix(issue, release, facts, options));
  return choices;
}

std::vector<std::string> choice_warnings(const std::vector<FixChoice>& choices, const PlanOptions& options) {
  std::vector<std::string> warnings;
  for (const FixChoice& choice : choices)
    if (choice.decision.status == IssueStatus::undecided)
      warnings.push_back(concat("issue ", quote(choice.issue->id), " is undecided: ", choice.decision.reason));
  for (const std::string& id : options.with_fixes) {
    const FixChoice* choice = choice_of_fix(choices, id);
    if (choice && choice->decision.fix != id)
      warnings.push_back(concat("--with ", id, " has no effect: ", choice->decision.reason));
  }
  for (const std::string& id : options.without_fixes) {
    const FixChoice* choice = choice_of_fix(choices, id);
    if (choice && choice->decision.reason != "--without " + id)
      warnings.push_back(concat("--without ", id, " has no effect: the fix is not used here"));
  }
  return warnings;
}

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

void plan_patches(const Catalog& catalog, std::vector<FixChoice>& choices, Plan& plan) {
  std::map<std::string, std::vector<FixChoice*>> users;  // of each patchset, by issue
  for (FixChoice& choice : choices) {
    if (choice.fix == nullptr || choice.fix->patchset.empty()) continue;
    const std::string& id = choice.fix->patchset;
    const bool is_needed = std::ranges::any_of(catalog.patchset(id).variants, [&](const Variant& variant) {
      return changes_prepared(variant, plan.components);
    });
    if (is_needed)
      users[id].push_back(&choice);
    else
      withdraw(choice, IssueStatus::not_affected,
               concat("the component that fix ", quote(choice.fix->id), " changes is not prepared"));
  }
  std::set<std::string> ids;
  std::map<std::string, std::vector<std::string>> issues;
  for (const auto& [id, choices_of_it] : users) {
    ids.insert(id);
    issues[id] = collect(choices_of_it, [](const FixChoice* choice) { return choice->issue->id; });
  }
  plan.overrides = choose_overrides(catalog, issues, *plan.release, plan.components);
  CertifiedState state;
  for (const PlannedOverride& planned : plan.overrides) state.overrides.push_back(*planned.what);
  for (const std::string& id : order_patchsets(catalog, ids)) {
    VariantChoice chosen = choose_variant(catalog.patchset(id), *plan.release, plan.components, state);
    for (PlannedPatch& patch : chosen.patches) {
      patch.issues = issues.at(id);
      plan.patches.push_back(std::move(patch));
    }
    for (FixChoice* choice : users.at(id)) settle(chosen, *choice);
    if (!chosen.variant) continue;
    for (const AddedFile& file : chosen.variant->files)
      if (is_prepared(file.repository, plan.components))
        plan.files.push_back({id, chosen.variant->id, &file, issues.at(id)});
  }
}

}  // namespace torchpatch::plan
