// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <set>

#include "ops/diff/compare.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

using emit::DiffLevel;
using Facts = std::map<std::string, std::string>;

std::string yes_or_nothing(bool value) { return value ? "yes" : ""; }

/// What the user says; everything else follows from it.
Facts asked_for(const Manifest& manifest) {
  Facts facts = {{"release", manifest.release},
                 {"board", manifest.board},
                 {"image", manifest.image},
                 {"--with", join(manifest.with_fixes, ", ")},
                 {"--without", join(manifest.without_fixes, ", ")},
                 {"--force", yes_or_nothing(manifest.forced)},
                 {"--unpatched", yes_or_nothing(manifest.unpatched)}};
  std::vector<std::string> components;
  for (const Component component : manifest.components) components.emplace_back(component_name(component));
  facts["components"] = join(components, ", ");
  for (const auto& [name, value] : manifest.settings) facts["--set " + name] = value;
  for (const auto& [name, value] : manifest.host) facts["host " + name] = value;
  return facts;
}

/// What the release, the board and the image say.
Facts following(const Manifest& manifest) {
  Facts facts = {{"stand-in", manifest.stand_in.value_or("")}};
  for (const auto& [name, value] : manifest.target) facts["target " + name] = value;
  return facts;
}

void compare_facts(Facts a, const Facts& b, const Cause& cause, DiffEntries& entries) {
  Facts other = b;
  for (const auto& [name, value] : b) a.try_emplace(name);
  for (const auto& [name, value] : a) {
    const std::string& theirs = other[name];
    if (value == theirs) continue;
    entries.push_back(explained({DiffLevel::request, name, "changed", value, theirs}, cause));
  }
}

/// Why boards and images give other facts.
Cause cause_of_facts(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  if (a.manifest.release != b.manifest.release || a.manifest.board != b.manifest.board ||
      a.manifest.image != b.manifest.image) {
    return {{}, {}, "follows from release, board and image"};
  }
  if (Cause cause = causes.of_entry("board " + a.manifest.board)) return cause;
  return causes.of_entry("release " + a.manifest.release);
}

std::map<std::string, const ManifestEntryOrigin*> by_entry(const Manifest& manifest) {
  std::map<std::string, const ManifestEntryOrigin*> entries;
  for (const ManifestEntryOrigin& origin : manifest.origins) entries[origin.entry] = &origin;
  return entries;
}

std::string described(const ManifestEntryOrigin& origin) {
  return concat(origin.layer, ", sha256 ", origin.digest.hex());
}

/// Entries that one side alone has follow from its release, board and patches; only issues are in every plan.
void compare_entries(const Manifest& a, const Manifest& b, DiffEntries& entries) {
  const auto in_a = by_entry(a), in_b = by_entry(b);
  std::map<std::string, std::pair<std::string, std::string>> rows;
  for (const auto& [entry, origin] : in_a) rows[entry].first = described(*origin);
  for (const auto& [entry, origin] : in_b) rows[entry].second = described(*origin);
  for (const auto& [entry, sides] : rows) {
    const bool is_in_both = !sides.first.empty() && !sides.second.empty();
    if (sides.first == sides.second || (!is_in_both && !starts_with(entry, "issue "))) continue;
    const char* const change = is_in_both ? "changed" : sides.second.empty() ? "only_in_a" : "only_in_b";
    entries.push_back(
        explained({DiffLevel::catalog, entry, change, sides.first, sides.second}, {{}, {}, "the catalogs differ"}));
  }
}

}  // namespace

DiffEntries compare_request(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  DiffEntries entries;
  const Cause asked = {{}, {}, "asked for"};
  compare_facts(asked_for(a.manifest), asked_for(b.manifest), asked, entries);
  if (a.has_sources() && b.has_sources()) {
    compare_facts({{"--allow-uncertified", yes_or_nothing(a.manifest.allow_uncertified)}},
                  {{"--allow-uncertified", yes_or_nothing(b.manifest.allow_uncertified)}}, asked, entries);
  }
  compare_facts(following(a.manifest), following(b.manifest), cause_of_facts(a, b, causes), entries);
  compare_facts({{"torchpatch", a.manifest.tool_version}}, {{"torchpatch", b.manifest.tool_version}},
                {{}, {}, "prepared by another torchpatch"}, entries);
  compare_entries(a.manifest, b.manifest, entries);
  return entries;
}

}  // namespace torchpatch::ops
