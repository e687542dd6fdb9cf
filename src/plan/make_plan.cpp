// SPDX-License-Identifier: BSD-3-Clause
#include "plan/make_plan.h"

#include <algorithm>

#include "model/path_rule.h"
#include "plan/facts.h"
#include "plan/fix_choice.h"
#include "plan/image_choice.h"
#include "plan/variables.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

/// Options of the compiler and linker: who sets one adds to what others set.
bool adds_up(const std::string& name) {
  return name == "CFLAGS" || name == "CXXFLAGS" || name == "CPPFLAGS" || name == "LDFLAGS";
}

std::string difference(const PlannedSetting& setting, const PlannedSetting& earlier) {
  const std::string place = earlier.component ? concat(" for ", component_name(*earlier.component)) : std::string();
  return concat(setting.name, " is ", quote(setting.value), ", as ", setting.origin, " has it, not ",
                quote(earlier.value), ", as ", earlier.origin, " has it", place);
}

void add_to(PlannedSetting& earlier, const PlannedSetting& setting) {
  if (earlier.value == setting.value) return;
  earlier.value = trim(concat(earlier.value, ' ', setting.value));
  earlier.origin = concat(earlier.origin, " and ", setting.origin);
  earlier.why = concat(earlier.why, "; ", setting.why);
}

/// A release says of a variable one place; where another companion reads it, that tells nothing of this one.
bool is_of_other_companion(const std::string& place, Component component) {
  return std::ranges::any_of(kComponents, [&](Component other) {
    return other != component && starts_with(place, concat(component_name(other), ":"));
  });
}

/// Sets one variable, in the place of the earlier settings of it where there are any: what every build gets takes the
/// place of what one component's gets, too. What adds up stands behind them.
void set(const Catalog& catalog, Plan& plan, PlannedSetting setting) {
  Reading reading = reading_of(catalog, plan, setting.name);
  if (!setting.component || !is_of_other_companion(reading.read_at, *setting.component))
    setting.read_at = std::move(reading.read_at);
  setting.unread = std::move(reading.unread);
  const auto is_replaced = [&](const PlannedSetting& other) {
    return other.name == setting.name && (!setting.component || other.component == setting.component);
  };
  std::vector<PlannedSetting>& settings = plan.environment;
  if (adds_up(setting.name) && std::ranges::any_of(settings, is_replaced)) {
    for (PlannedSetting& earlier : settings)
      if (is_replaced(earlier)) add_to(earlier, setting);
    return;
  }
  for (const PlannedSetting& earlier : settings)
    if (is_replaced(earlier) && earlier.value != setting.value) plan.warnings.push_back(difference(setting, earlier));
  const auto place = std::find_if(settings.begin(), settings.end(), is_replaced);
  const std::ptrdiff_t index = place - settings.begin();
  settings.erase(std::remove_if(place, settings.end(), is_replaced), settings.end());
  settings.insert(settings.begin() + index, std::move(setting));
}

void set_of_components(const Catalog& catalog, const std::string& origin, Plan& plan) {
  for (const Component component : plan.components) {
    const std::string why = concat("the build of ", component_name(component), " alone has it");
    for (const auto& [name, value] : plan.release->components.at(component).environment)
      set(catalog, plan, {name, value, origin, why, {}, component});
  }
}

/// --build-target decides, else the board's CPU where another machine builds for it.
void set_cpu_flags(const Catalog& catalog, Plan& plan) {
  const std::string& target = plan.options.build_target;
  if (target.empty() && !plan.host) return;
  const std::string flags = target.empty() ? plan.cpu_flags : build_target_flags(catalog, plan);
  const std::string origin = target.empty() ? concat("host ", plan.host->board->id) : concat("--build-target ", target);
  const std::string why = target.empty() ? "another machine builds for the board's CPU" : "for this CPU";
  for (const std::string name : {"CFLAGS", "CXXFLAGS"}) set(catalog, plan, {name, flags, origin, why, {}});
}

void check_variable(const std::string& name, const std::string& value) {
  constexpr std::size_t kMaxName = 255;
  if (!is_variable_name(name) || name.size() > kMaxName) {
    throw Error(
        ErrorKind::usage,
        concat("--set ", quote(name), " is no name of a variable: capital letters, digits and '_', at most ", kMaxName),
        "a fact such as gcc or cross is written in lower case");
  }
  if (has_hidden(value))
    throw Error(ErrorKind::usage,
                concat("--set ", name, ": ", quote(value), " is not one line of UTF-8 without hidden characters"));
}

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
    if (choice.fix == nullptr || choice.fix->patchset.empty()) continue;
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

void add_variant(const std::string& patchset, const VariantChoice& chosen, const std::vector<std::string>& issues,
                 Plan& plan) {
  const Variant& variant = *chosen.variant;
  for (const ChosenPatch& patch : chosen.patches)
    plan.patches.push_back({patchset, variant.id, patch.patch, issues, patch.edges});
  for (const AddedFile& file : variant.files) {
    const bool is_prepared = std::ranges::count(plan.components, file.repository.component) > 0;
    if (is_prepared) plan.files.push_back({patchset, variant.id, &file, issues});
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

std::vector<Component> choose_components(const Release& release, const PlanOptions& options) {
  std::vector<Component> components;
  for (const auto& [component, pin] : release.components)
    if (options.components.empty() || options.components.contains(component)) components.push_back(component);
  for (const Component component : options.components) {
    if (release.find(component) == nullptr) {
      throw Error(ErrorKind::usage, concat("release ", release.version.text(), " has no ", component_name(component)),
                  join(release.notes, "; "));
    }
  }
  return components;
}

void add_step(const FixChoice& choice, Plan& plan) {
  if (choice.fix != nullptr && !choice.fix->commands.empty()) {
    const bool after_wheel = choice.fix->kind == FixKind::files;
    plan.steps.push_back({choice.issue->id, choice.fix->id, after_wheel, choice.fix->commands});
  }
}

}  // namespace

std::string canonical_text(const Plan& plan) {
  std::string text = "torchpatch plan 1\n";
  for (const Component component : plan.components) {
    const ComponentPin* pin = plan.release->find(component);
    text += concat("component\t", component_name(component), '\t', pin->commit.hex(), '\n');
  }
  for (const PlannedOverride& planned : plan.overrides)
    text += concat("override\t", planned.what->commit.hex(), '\t', planned.what->repository.text(), '\n');
  for (const PlannedPatch& planned : plan.patches)
    text += concat("patch\t", planned.patch->sha256.hex(), '\t', planned.patch->repository.text(), '\n');
  std::map<std::pair<RepositoryPath, std::string>, std::string> files;
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    const char* mode = file_mode_text(file.mode());
    files[{file.repository, file.path}] =
        concat("file\t", mode, '\t', file.sha256.hex(), '\t', file.repository.text(), '\t', file.path, '\n');
  }
  for (const auto& [place, line] : files) text += line;
  return text;
}

Sha256 plan_digest(const Plan& plan) { return sha256(canonical_text(plan)); }

void plan_environment(const Catalog& catalog, const std::vector<FixChoice>& choices, Plan& plan) {
  const std::string release = concat("release ", plan.release->version.text());
  for (const auto& [name, value] : plan.release->environment)
    set(catalog, plan, {name, value, release, "every build of this release has it", {}});
  set_of_components(catalog, release, plan);
  set_cpu_flags(catalog, plan);
  for (const auto& [name, value] : plan.board->environment)
    set(catalog, plan, {name, value, concat("board ", plan.board->id), "every build for this board has it", {}});
  for (const FixChoice& choice : choices)
    for (const EnvironmentSetting& setting : choice.fix ? choice.fix->environment : std::vector<EnvironmentSetting>{})
      set(catalog, plan, {setting.name, setting.value, concat("issue ", choice.issue->id), setting.why, {}});
  for (const auto& [name, value] : plan.options.settings) {
    if (!is_variable(name)) continue;
    check_variable(name, value);
    const bool is_forced = plan.options.forced_settings.contains(name);
    if (!is_forced) check_variable_is_read(catalog, plan, name, value);
    set(catalog, plan, {name, value, is_forced ? kForceSet : "--set", "asked for on the command line", {}});
  }
}

void plan_patches(const Catalog& catalog, std::vector<FixChoice>& choices, Plan& plan) {
  const Uses uses = collect_uses(catalog, choices, plan);
  std::set<std::string> ids;
  std::map<std::string, std::vector<std::string>> issues;
  for (const auto& [id, users] : uses) {
    ids.insert(id);
    issues[id] = collect(users, [](const FixChoice* choice) { return choice->issue->id; });
  }
  plan.overrides = choose_overrides(catalog, issues, *plan.release, plan.components);
  CertifiedState state;
  for (const PlannedOverride& planned : plan.overrides) state.overrides.push_back(*planned.what);
  for (const std::string& id : order_patchsets(catalog, ids)) {
    const VariantChoice chosen = choose_variant(catalog.patchset(id), *plan.release, plan.components, state);
    if (chosen.variant != nullptr) add_variant(id, chosen, issues.at(id), plan);
    for (FixChoice* choice : uses.at(id)) settle(chosen, *choice);
  }
}

Plan make_plan(const Catalog& catalog, const std::string& version, const std::string& board, const std::string& image,
               const PlanOptions& options) {
  Plan plan;
  plan.release = &catalog.release(version);
  plan.board = &catalog.board(board);
  plan.options = options;
  plan.components = choose_components(*plan.release, options);
  check_fix_options(catalog, options);

  ImageChoice chosen = choose_image(*plan.release, *plan.board, image, options, plan.components);
  plan.image = chosen.image;
  plan.python = std::move(chosen.python);
  plan.facts = std::move(chosen.facts);
  plan.warnings = std::move(chosen.warnings);

  plan_host(catalog, plan);
  plan.cpu_flags = board_cpu_flags(catalog, plan);
  std::vector<FixChoice> choices = choose_fixes(catalog, *plan.release, plan.facts, options);
  plan_patches(catalog, choices, plan);
  plan_environment(catalog, choices, plan);
  for (const FixChoice& choice : choices) {
    add_step(choice, plan);
    plan.issues.push_back(choice.decision);
  }
  const std::vector<std::string> warnings = choice_warnings(choices, options);
  plan.warnings.insert(plan.warnings.end(), warnings.begin(), warnings.end());
  plan.digest = plan_digest(plan);
  return plan;
}

std::optional<Plan> plan_if_fits(const Catalog& catalog, const Release& release, const Board& board, const Image& image,
                                 const PlanOptions& options) {
  try {
    return make_plan(catalog, release.version.text(), board.id, image.id, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;  // usage: this release does not fit this image
    return std::nullopt;
  }
}

}  // namespace torchpatch::plan
