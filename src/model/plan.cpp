// SPDX-License-Identifier: BSD-3-Clause
#include "model/plan.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch {

bool is_exported(const PlannedSetting& setting) {
  return setting.unread.empty() || std::ranges::count(origins_of(setting), kForceSet) > 0;
}

void check_fields(ObjectReader& object, const PlannedSetting& setting) {
  if (!is_variable_name(setting.name))
    object.report("name", concat(quote(setting.name), " is not the name of a variable"));
}

std::map<Component, PlannedComponent> Plan::pins() const {
  std::map<Component, PlannedComponent> pins;
  for (const Component component : components)
    if (const ComponentPin* const pin = release->find(component))
      pins[component] = {pin->version, pin->url, pin->tag, pin->commit, pin->content};
  return pins;
}

std::vector<PlannedStep> Plan::steps_of(bool after_wheel) const {
  std::vector<PlannedStep> found = steps;
  std::erase_if(found, [&](const PlannedStep& step) { return step.after_wheel != after_wheel; });
  return found;
}

std::variant<PlanOptions, std::vector<std::string>> Plan::shown_options() const {
  if (chosen) return *chosen;
  return options;
}

bool is_certified(const Plan& plan) {
  return std::ranges::count(plan.issues, IssueStatus::uncertified, &IssueDecision::status) == 0;
}

std::vector<std::string> origins_of(const PlannedSetting& setting) {
  constexpr std::string_view kAnd = " and ";
  std::vector<std::string> origins;
  std::string_view rest = setting.origin;
  for (std::size_t end = rest.find(kAnd); end != std::string_view::npos; end = rest.find(kAnd)) {
    origins.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + kAnd.size());
  }
  origins.emplace_back(rest);
  return origins;
}

std::string reading_text(const PlannedSetting& setting) {
  if (!setting.unread.empty()) return concat(is_exported(setting) ? "" : "left out: ", setting.unread);
  if (setting.read_at.empty()) return "not known where this release reads it";
  return concat("read at ", setting.read_at);
}

}  // namespace torchpatch
