// SPDX-License-Identifier: BSD-3-Clause
#include "plan/settings.h"

#include <algorithm>

#include "plan/facts.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

std::string read_at(const Release& release, const std::string& name) {
  const auto found = std::find_if(release.flags.begin(), release.flags.end(),
                                  [&](const BuildFlag& flag) { return flag.name == name; });
  return found == release.flags.end() ? std::string() : found->read_at;
}

std::string difference(const PlannedSetting& setting, const PlannedSetting& earlier) {
  const std::string place = earlier.component ? concat(" for ", component_name(*earlier.component)) : std::string();
  return concat(setting.name, " is ", quote(setting.value), ", as ", setting.origin, " has it, not ",
                quote(earlier.value), ", as ", earlier.origin, " has it", place);
}

/// Sets one variable, in the place of the earlier settings of it where there are any: what every build gets takes the
/// place of what one component's gets, too.
void set(Plan& plan, PlannedSetting setting) {
  setting.read_at = read_at(*plan.release, setting.name);
  const auto is_replaced = [&](const PlannedSetting& other) {
    return other.name == setting.name && (!setting.component || other.component == setting.component);
  };
  std::vector<PlannedSetting>& settings = plan.environment;
  for (const PlannedSetting& earlier : settings) {
    if (is_replaced(earlier) && earlier.value != setting.value) plan.warnings.push_back(difference(setting, earlier));
  }
  const auto place = std::find_if(settings.begin(), settings.end(), is_replaced);
  const std::ptrdiff_t index = place - settings.begin();
  settings.erase(std::remove_if(place, settings.end(), is_replaced), settings.end());
  settings.insert(settings.begin() + index, std::move(setting));
}

void set_of_components(const std::string& origin, Plan& plan) {
  for (const Component component : plan.components) {
    const std::string why = concat("the build of ", component_name(component), " alone has it");
    for (const auto& [name, value] : plan.release->components.at(component).environment) {
      set(plan, {name, value, origin, why, {}, component});
    }
  }
}

bool is_name(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

bool has_control_byte(const std::string& value) {
  return std::any_of(value.begin(), value.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void check_variable(const std::string& name, const std::string& value) {
  if (!is_name(name)) {
    throw Error(ErrorKind::usage,
                concat("--set ", quote(name), " is no name of a variable: capital letters, digits and '_'"),
                "a fact such as gcc or cross is written in lower case");
  }
  if (has_control_byte(value) || !is_valid_utf8(value)) {
    throw Error(ErrorKind::usage, concat("--set ", name, ": ", quote(value), " is not one line of UTF-8"));
  }
}

}  // namespace

void plan_environment(const std::vector<FixChoice>& choices, Plan& plan) {
  const std::string release = concat("release ", plan.release->version.text());
  for (const auto& [name, value] : plan.release->environment) {
    set(plan, {name, value, release, "every build of this release has it", {}});
  }
  set_of_components(release, plan);
  if (plan.host) {
    const std::string flags = plan.image->cpu_flags.value_or(plan.board->cpu_flags);
    for (const std::string name : {"CFLAGS", "CXXFLAGS"}) {
      set(plan, {name, flags, concat("host ", plan.host->board->id), "another machine builds for the board's CPU", {}});
    }
  }
  for (const auto& [name, value] : plan.board->environment) {
    set(plan, {name, value, concat("board ", plan.board->id), "every build for this board has it", {}});
  }
  for (const FixChoice& choice : choices) {
    for (const EnvironmentSetting& setting : choice.fix ? choice.fix->environment : std::vector<EnvironmentSetting>{}) {
      set(plan, {setting.name, setting.value, concat("issue ", choice.issue->id), setting.why, {}});
    }
  }
  for (const auto& [name, value] : plan.options.settings) {
    if (is_variable(name)) {
      check_variable(name, value);
      set(plan, {name, value, "--set", "asked for on the command line", {}});
    }
  }
}

}  // namespace torchpatch::plan
