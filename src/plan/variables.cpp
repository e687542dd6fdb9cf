// SPDX-License-Identifier: BSD-3-Clause
#include "plan/variables.h"

#include <algorithm>
#include <set>

#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

bool is_of_companion(const std::string& place) { return starts_with(place, "vision:") || starts_with(place, "audio:"); }

/// Returns whether the flags of a companion were not verified.
bool has_unverified_companion(const Release& release) {
  return std::ranges::any_of(release.sources, [](const SourceNote& note) {
    return !note.verified && std::ranges::any_of(note.keys, [](const auto& key) { return starts_with(key, "flags."); });
  });
}

bool is_read_by_tools(const VariableTable& table, std::string_view name) {
  return std::ranges::any_of(table.of_tools, [&](std::string_view tool) {
    return tool.ends_with('*') ? name.starts_with(tool.substr(0, tool.size() - 1)) : tool == name;
  });
}

bool is_known(const Catalog& catalog, const std::string& name) {
  return std::ranges::count(catalog.variables.of_tools, name) > 0 || catalog.variables.find_never_read(name) ||
         std::ranges::any_of(catalog.releases, [&](const auto& entry) { return entry.second.flags.contains(name); });
}

/// Returns the places where releases read it.
std::vector<std::string> places_of(const Catalog& catalog, const std::string& name) {
  std::vector<std::string> places;
  for (const auto& [version, release] : catalog.releases)
    if (const std::string* const place = find_value(release.flags, name)) places.push_back(*place);
  return places;
}

bool is_known_unread(const Catalog& catalog, const Release& release, const std::string& name) {
  if (!knows_every_variable(release) || is_read_by_tools(catalog.variables, name)) return false;
  if (catalog.variables.find_never_read(name)) return true;
  const std::vector<std::string> places = places_of(catalog, name);
  const bool only_companions = std::ranges::all_of(places, is_of_companion);
  return !places.empty() && !(only_companions && has_unverified_companion(release));
}

/// Returns whether a line that a patch adds contains the name as a word.
bool adds_mention(const std::string& patch, const std::string& name) {
  const auto is_word = [&](std::size_t at) {
    return at < patch.size() && (std::isalnum(patch[at]) || patch[at] == '_');
  };
  for (std::size_t at = patch.find(name); at != std::string::npos; at = patch.find(name, at + 1)) {
    const std::size_t line = patch.rfind('\n', at) + 1;  // npos + 1: the first line
    if (patch[line] == '+' && !is_word(at - 1) && !is_word(at + name.size())) return true;
  }
  return false;
}

std::string quoted(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += concat(out.empty() ? "" : " or ", quote(name));
  return out;
}

}  // namespace

bool knows_every_variable(const Release& release) {
  return std::ranges::any_of(release.sources, [](const SourceNote& note) {
    return note.verified && std::ranges::count(note.keys, "flags") > 0;
  });
}

bool is_known_variable(const Catalog& catalog, const std::string& name) {
  return is_known(catalog, name) || is_read_by_tools(catalog.variables, name);
}

bool is_read_by_companions_alone(const Catalog& catalog, const std::string& name) {
  return std::ranges::all_of(places_of(catalog, name), is_of_companion);
}

std::string releases_reading(const Catalog& catalog, const std::string& name) {
  return releases_where(catalog, [&](const Release& release) { return release.flags.contains(name); });
}

Reading reading_of(const Catalog& catalog, const Release& release, const std::string& name) {
  if (const std::string* const place = find_value(release.flags, name)) return {*place, {}};
  if (!is_known_unread(catalog, release, name)) return {};
  const std::string readers = releases_reading(catalog, name);
  return {{},
          concat("release ", release.version.text(), " does not read it; ",
                 readers.empty() ? "no release does"
                                 : concat(readers, readers.find(' ') == std::string::npos ? " does" : " do"))};
}

Reading reading_of(const Catalog& catalog, const Plan& plan, const std::string& name) {
  Reading reading = reading_of(catalog, *plan.release, name);
  if (reading.unread.empty()) return reading;
  for (const PlannedPatch& planned : plan.patches)
    if (adds_mention(planned.patch->text, name))
      return {concat("patch ", planned.patchset, "/", planned.patch->file), {}};
  return reading;
}

std::vector<std::string> other_names(const Catalog& catalog, const Release& release, const std::string& name) {
  std::vector<std::string> candidates;
  if (const NeverRead* const known = catalog.variables.find_never_read(name)) candidates = known->instead;
  for (const std::string prefix : {"NO_", "WITH_", "USE_", "BUILD_"}) {
    if (!starts_with(name, prefix)) continue;
    for (const std::string other : {"USE_", "BUILD_", "NO_"})
      if (other != prefix) candidates.push_back(other + name.substr(prefix.size()));
  }
  std::erase_if(candidates, [&](const std::string& candidate) { return !release.flags.contains(candidate); });
  return candidates;
}

std::vector<std::string> misspelt_names(const Catalog& catalog, const std::string& name) {
  constexpr std::size_t kShort = 5, kLong = 9;
  if (name.size() < kShort || is_known(catalog, name)) return {};
  const std::size_t farthest = name.size() < kLong ? 1 : 2;
  std::set<std::string> known;
  for (const auto& [version, release] : catalog.releases) {
    for (const auto& [flag, place] : release.flags) {
      const std::size_t a = flag.size(), b = name.size();
      if (std::max(a, b) - std::min(a, b) <= farthest) known.insert(flag);
    }
  }
  return nearest_names(name, {known.begin(), known.end()}, farthest);
}

void check_variable_is_read(const Catalog& catalog, const Plan& plan, const std::string& name,
                            const std::string& value) {
  const std::string force = concat("--force-set ", name, "=", printable(value), " sets it anyway");
  const Reading reading = reading_of(catalog, plan, name);
  if (!reading.unread.empty()) {
    const std::vector<std::string> others = other_names(catalog, *plan.release, name);
    throw Error(ErrorKind::usage, concat("--set ", name, ": ", reading.unread),
                concat(others.empty() ? "remove it" : concat("this release reads ", quoted(others)), "; ", force));
  }
  const std::vector<std::string> near = misspelt_names(catalog, name);
  if (reading.read_at.empty() && !near.empty()) {
    throw Error(ErrorKind::usage, concat("--set ", name, ": no known release reads it"),
                concat("did you mean ", quoted(near), "? ", force));
  }
}

}  // namespace torchpatch::plan
