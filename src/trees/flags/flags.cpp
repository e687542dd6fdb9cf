// SPDX-License-Identifier: BSD-3-Clause
#include "trees/flags/flags.h"

#include <algorithm>

#include "plan/variables.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

/// The rule by which a recorded place says how the variable gets there (docs/formats.md, "What `flags` says").
FlagMechanism mechanism_of(const Release& release, const std::string& name, const std::string& read_at) {
  if (starts_with(read_at, "vision:")) return FlagMechanism::vision;
  if (starts_with(read_at, "audio:")) return FlagMechanism::audio;
  const std::string file = read_at.substr(0, read_at.rfind(':'));
  const bool is_read_by_itself = name == "MAX_JOBS" || name == "USE_NINJA";
  const FrontEnd front_end = release.components.at(Component::torch).front_end.value_or(FrontEnd());
  const std::string forwards = front_end.forwards.empty() ? "tools/setup_helpers/cmake.py" : front_end.forwards;
  if (file == forwards && !is_read_by_itself) return FlagMechanism::forwarded;
  if (ends_with(file, ".py") || ends_with(file, ".sh")) return FlagMechanism::environment;
  static const Version kForwards = *Version::parse("1.2");
  const bool is_option = starts_with(name, "USE_") || starts_with(name, "BUILD_") || starts_with(name, "CMAKE_");
  return is_option && release.version >= kForwards ? FlagMechanism::forwarded : FlagMechanism::cmake;
}

FlagFact fact_of(const Catalog& catalog, const Release& release, const std::string& name) {
  FlagFact fact;
  fact.name = name;
  plan::Reading reading = plan::reading_of(catalog, release, name);
  fact.read_at = std::move(reading.read_at);
  fact.unread = std::move(reading.unread);
  if (!fact.read_at.empty()) fact.mechanism = mechanism_of(release, name, fact.read_at);
  fact.releases = plan::releases_reading(catalog, name);
  for (const auto& [version, each] : catalog.releases) {
    if (!each.flags.contains(name)) continue;
    if (fact.since.empty()) fact.since = version.text();
    fact.until = version.text();
  }
  if (!fact.unread.empty()) fact.instead = plan::other_names(catalog, release, name);
  if (fact.read_at.empty()) fact.near = plan::misspelt_names(catalog, name);
  return fact;
}

}  // namespace

FlagsReport flags(const Catalog& catalog, const Release& release, const std::vector<std::string>& names) {
  FlagsReport report{release.version.text(), {}};
  for (const std::string& name : names) report.flags.push_back(fact_of(catalog, release, name));
  if (names.empty())
    for (const auto& [name, place] : release.flags) report.flags.push_back(fact_of(catalog, release, name));
  return report;
}

}  // namespace torchpatch::trees
