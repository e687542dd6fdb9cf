// SPDX-License-Identifier: BSD-3-Clause
#include "plan/make_plan.h"

#include <algorithm>

#include "plan/facts.h"
#include "plan/fix_choice.h"
#include "plan/image_choice.h"
#include "plan/judge_advisories.h"
#include "plan/variables.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

/// Compiler and linker options: values are appended instead of replaced.
bool adds_up(const std::string& name) {
  return name == "CFLAGS" || name == "CXXFLAGS" || name == "CPPFLAGS" || name == "LDFLAGS";
}

std::string difference(const PlannedSetting& setting, const PlannedSetting& earlier) {
  const std::string place = earlier.component ? concat(" for ", name_of(*earlier.component)) : std::string();
  return concat(setting.name, " is ", quote(setting.value), ", as ", setting.origin, " has it, not ",
                quote(earlier.value), ", as ", earlier.origin, " has it", place);
}

void add_to(PlannedSetting& earlier, const PlannedSetting& setting) {
  if (earlier.value == setting.value) return;
  earlier.value = trim(concat(earlier.value, ' ', setting.value));
  earlier.origin = concat(earlier.origin, " and ", setting.origin);
  earlier.why = concat(earlier.why, "; ", setting.why);
}

/// A release records one place per variable; if that is in another companion, nothing is known about this one.
bool is_of_other_companion(const std::string& place, Component component) {
  return std::ranges::any_of(kComponents, [&](Component other) {
    return other != component && starts_with(place, concat(name_of(other), ":"));
  });
}

/// Sets a variable, replacing earlier settings of it: a setting for every build also replaces one for a single
/// component. Additive ones are appended.
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

/// --build-target decides (kCustomTarget through --set), else the board's CPU if another machine builds for it.
void set_cpu_flags(const Catalog& catalog, Plan& plan) {
  const std::string& target = plan.options.build_target;
  if (target == kCustomTarget) {
    for (const char* name : {"CFLAGS", "CXXFLAGS"}) {
      if (plan.options.settings.contains(name)) continue;
      throw Error(ErrorKind::usage, concat("--build-target custom: ", name, " is not set"),
                  "name the flags: --set CFLAGS=FLAGS --set CXXFLAGS=FLAGS");
    }
    return;
  }
  if (target.empty() && !plan.host) return;
  const std::string flags = target.empty() ? plan.cpu_flags : build_target_flags(catalog, plan);
  const std::string origin = target.empty() ? concat("host ", plan.host->board->id) : concat("--build-target ", target);
  const std::string why = target.empty() ? "another machine builds for the board's CPU" : "for this CPU";
  for (const std::string name : {"CFLAGS", "CXXFLAGS"}) set(catalog, plan, {name, flags, origin, why, {}});
}

void check_variable(const std::string& name, const std::string& value) {
  constexpr std::size_t kMaxName = 255;
  if (!is_variable_name(name) || name.size() > kMaxName) {
    throw Error(ErrorKind::usage,
                concat("--set ", quote(name), " is not a variable name: use capital letters, digits and '_', at most ",
                       kMaxName),
                "write a fact such as gcc or cross in lower case");
  }
  if (has_hidden(value))
    throw Error(ErrorKind::usage,
                concat("--set ", name, ": ", quote(value), " is not one line of UTF-8 text without hidden characters"));
}

std::vector<Component> choose_components(const Release& release, const PlanOptions& options) {
  std::vector<Component> components;
  for (const auto& [component, pin] : release.components)
    if (options.components.empty() || options.components.contains(component)) components.push_back(component);
  for (const Component component : options.components) {
    if (release.find(component) == nullptr) {
      throw Error(ErrorKind::usage, concat("release ", release.version.text(), " has no ", name_of(component)),
                  join(release.notes, "; "));
    }
  }
  return components;
}

/// Sets plan.environment: the release's variables, those of its components, with --build-target or a host the CPU
/// flags, the board's variables, those of the fixes in use (by issue id), and those of --set. A later setting replaces
/// an earlier one, except that a component's replaces only that of the same component; if the values differ, the plan
/// gets a warning. CFLAGS, CXXFLAGS, CPPFLAGS and LDFLAGS are appended. Raises usage for a --set whose name or value is
/// not valid in an environment, and as check_variable_is_read.
void plan_environment(const Catalog& catalog, const std::vector<FixChoice>& choices, Plan& plan) {
  const std::string release = concat("release ", plan.release->version.text());
  for (const auto& [name, value] : plan.release->environment)
    set(catalog, plan, {name, value, release, "set in every build of this release", {}});
  for (const Component component : plan.components) {
    const std::string why = concat("set only in the build of ", name_of(component));
    for (const auto& [name, value] : plan.release->components.at(component).environment)
      set(catalog, plan, {name, value, release, why, {}, component});
  }
  set_cpu_flags(catalog, plan);
  for (const auto& [name, value] : plan.board->environment)
    set(catalog, plan, {name, value, concat("board ", plan.board->id), "set in every build for this board", {}});
  for (const FixChoice& choice : choices)
    for (const EnvironmentSetting& setting : choice.fix ? choice.fix->environment : std::vector<EnvironmentSetting>{})
      set(catalog, plan, {setting.name, setting.value, concat("issue ", choice.issue->id), setting.why, {}});
  for (const auto& [name, value] : plan.options.settings) {
    if (!is_variable(name)) continue;
    check_variable(name, value);
    const bool is_forced = plan.options.forced_settings.contains(name);
    if (!is_forced) check_variable_is_read(catalog, plan, name, value);
    set(catalog, plan, {name, value, is_forced ? kForceSet : "--set", "set on the command line", {}});
  }
}

}  // namespace

std::string canonical_text(const Plan& plan) {
  std::string text = "torchpatch plan 1\n";
  for (const Component component : plan.components) {
    const ComponentPin* pin = plan.release->find(component);
    text += concat("component\t", name_of(component), '\t', pin->commit.hex(), '\n');
  }
  for (const PlannedOverride& planned : plan.overrides)
    text += concat("override\t", planned.what->commit.hex(), '\t', planned.what->repository.text(), '\n');
  for (const PlannedPatch& planned : plan.patches)
    text += concat("patch\t", planned.patch->sha256.hex(), '\t', planned.patch->repository.text(), '\n');
  std::map<std::pair<RepositoryPath, std::string>, std::string> files;
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    const char* mode = name_of(file.mode());
    files[{file.repository, file.path}] =
        concat("file\t", mode, '\t', file.sha256.hex(), '\t', file.repository.text(), '\t', file.path, '\n');
  }
  for (const auto& [place, line] : files) text += line;
  return text;
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
    if (const Fix* const fix = choice.fix; fix && !fix->commands.empty())
      plan.steps.push_back({choice.issue->id, fix->id, fix->kind == FixKind::files, fix->commands});
    plan.issues.push_back(choice.decision);
  }
  const std::vector<std::string> warnings = choice_warnings(choices, options);
  plan.warnings.insert(plan.warnings.end(), warnings.begin(), warnings.end());
  plan.advisories = judge_advisories(catalog, plan);
  plan.digest = sha256(canonical_text(plan));
  return plan;
}

std::optional<Plan> plan_if_fits(const Catalog& catalog, const Release& release, const Board& board, const Image& image,
                                 const PlanOptions& options) {
  if (fitting_images(release, board, image.id, options).empty()) return std::nullopt;
  return make_plan(catalog, release.version.text(), board.id, image.id, options);
}

}  // namespace torchpatch::plan
