// SPDX-License-Identifier: BSD-3-Clause
#include "report/settings.h"

#include <algorithm>
#include <map>

#include "model/issue.h"

namespace torchpatch::report {

namespace {

const char* fact_kind_text(FactKind kind) {
  switch (kind) {
    case FactKind::boolean:
      return "true or false";
    case FactKind::integer:
      return "number";
    case FactKind::version:
      return "version";
    case FactKind::text:
      return "text";
    case FactKind::list:
      return "list";
  }
  return "";
}

/// --component and --version say these.
bool is_settable(const std::string& fact) { return fact != "components" && fact != "release"; }

bool asks_for(const Condition& condition, const std::string& fact) {
  return std::ranges::any_of(condition.clauses, [&](const Clause& clause) { return clause.fact == fact; });
}

std::vector<std::string> issues_asking_for(const Catalog& catalog, const std::string& fact) {
  std::vector<std::string> issues;
  for (const auto& [id, issue] : catalog.issues) {
    const bool asks = asks_for(issue.when, fact) ||
                      std::ranges::any_of(issue.fixes, [&](const Fix& fix) { return asks_for(fix.when, fact); });
    if (asks) issues.push_back(id);
  }
  return issues;
}

}  // namespace

std::vector<Setting> settings_of(const Catalog& catalog) {
  std::vector<Setting> settings;
  for (const auto& [name, kind] : known_facts())
    if (is_settable(name)) settings.push_back({name, fact_kind_text(kind), issues_asking_for(catalog, name)});
  std::map<std::string, Setting> variables;
  for (const auto& [version, release] : catalog.releases)
    for (const auto& [name, place] : release.flags) {
      auto& releases = variables.emplace(name, Setting{name, "variable"}).first->second.releases;
      releases = releases.value_or(std::vector<std::string>{});
      releases->push_back(version.text());
    }
  for (const auto& [id, issue] : catalog.issues) {
    for (const Fix& fix : issue.fixes) {
      for (const EnvironmentSetting& set : fix.environment) {
        const auto variable = variables.find(set.name);
        if (variable != variables.end()) variable->second.fixes.push_back(fix.id);
      }
    }
  }
  for (auto& [name, variable] : variables) settings.push_back(std::move(variable));
  return settings;
}

std::string readers_of(const Setting& setting, const Catalog& catalog) {
  return releases_where(catalog, [&](const Release& release) { return release.flags.contains(setting.name); });
}

}  // namespace torchpatch::report
