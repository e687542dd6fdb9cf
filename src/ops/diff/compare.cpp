// SPDX-License-Identifier: BSD-3-Clause
#include "ops/diff/compare.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>

#include "git/object.h"
#include "model/repository_path.h"
#include "ops/diff/explain_path.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// "2019-04-30", in UTC.
std::string date_text(std::int64_t seconds) {
  const std::chrono::sys_days day(std::chrono::floor<std::chrono::days>(std::chrono::seconds(seconds)));
  const std::chrono::year_month_day date(day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()));
  return text;
}

/// "<commit> of 2019-04-30"; a raw commit that cannot be read has no date, and verify says so.
std::string pin_text(const ManifestRepository* repository) {
  if (!repository) return {};
  std::string out = repository->commit.hex();
  if (repository->raw_commit.empty()) return out;
  try {
    return concat(out, " of ", date_text(git::parse_commit(repository->raw_commit).time));
  } catch (const Error&) {
    return out;
  }
}

std::string override_text(const ManifestRepository* repository) {
  if (!repository || !repository->overridden) return {};
  return concat(repository->commit.hex(), " in place of ", repository->overridden->replaces.hex());
}

const char* change_of(const void* a, const void* b) { return !b ? "only_in_a" : !a ? "only_in_b" : "changed"; }

std::set<RepositoryPath> all_repositories(const DiffInput& a, const DiffInput& b) {
  std::set<RepositoryPath> paths;
  for (const ManifestRepository& repository : a.manifest.repositories) paths.insert(repository.path);
  for (const ManifestRepository& repository : b.manifest.repositories) paths.insert(repository.path);
  return paths;
}

/// What changes the tree of a repository besides its commit.
std::string changes_in(const Manifest& manifest, const RepositoryPath& path) {
  std::string out;
  for (const ManifestPatch& patch : manifest.patches) {
    if (patch.repository == path) out += patch.sha256.hex();
  }
  for (const ManifestAddedFile& file : manifest.added_files) {
    if (file.repository == path) out += concat(file.path, " ", file_mode_text(file.mode), " ", file.blob.hex());
  }
  return out;
}

/// Equal commits with equal patches must give equal trees, and come from one place.
void compare_same_pin(const DiffInput& a, const DiffInput& b, const ManifestRepository& in_a,
                      const ManifestRepository& in_b, const Causes& causes, DiffEntries& entries) {
  if (in_a.url != in_b.url) {
    const Cause cause = causes.of_premises();
    entries.push_back(explained({DiffLevel::pin, in_a.path.text(), "changed", in_a.url, in_b.url}, cause));
  }
  if (!a.has_sources() || !b.has_sources() || in_a.patched_tree == in_b.patched_tree ||
      changes_in(a.manifest, in_a.path) != changes_in(b.manifest, in_a.path)) {
    return;
  }
  entries.push_back({DiffLevel::pin, in_a.path.text(), "changed", "patched tree " + in_a.patched_tree.hex(),
                     "patched tree " + in_b.patched_tree.hex()});
}

using Patches = std::vector<const ManifestPatch*>;
using PatchKey = std::pair<std::string, RepositoryPath>;  ///< sha256, repository

std::string subject_of(const ManifestPatch& patch) { return concat(patch.patchset, " in ", patch.repository.text()); }

std::string text_of(const ManifestPatch& patch) {
  return concat(patch.variant, ", sha256 ", patch.sha256.hex(), patch.is_certified ? "" : ", not certified", ", for ",
                patch.issues.empty() ? "no issue" : join(patch.issues, ", "));
}

PatchKey key_of(const ManifestPatch& patch) { return {patch.sha256.hex(), patch.repository}; }

Cause cause_of(const ManifestPatch& patch, const Causes& causes) {
  return causes.of_fix(patch.issues, patch.patchset, patch.variant, patch.repository.component);
}

/// Returns the patches of `side` that `other` does not apply, or in other words.
Patches without_equals(const Manifest& side, const Manifest& other) {
  std::multiset<std::pair<PatchKey, std::string>> there;
  for (const ManifestPatch& patch : other.patches) there.insert({key_of(patch), text_of(patch)});
  Patches rest;
  for (const ManifestPatch& patch : side.patches) {
    const auto found = there.find({key_of(patch), text_of(patch)});
    if (found == there.end()) {
      rest.push_back(&patch);
    } else {
      there.erase(found);
    }
  }
  return rest;
}

/// Takes the patch that stands for `patch` on the other side: with the same bytes, else of the same patchset.
const ManifestPatch* take_counterpart(const ManifestPatch& patch, Patches& others) {
  auto found =
      std::find_if(others.begin(), others.end(), [&](const auto* other) { return key_of(*other) == key_of(patch); });
  if (found == others.end()) {
    found = std::find_if(others.begin(), others.end(), [&](const auto* other) {
      return other->patchset == patch.patchset && other->repository == patch.repository;
    });
  }
  if (found == others.end()) return nullptr;
  const ManifestPatch* const taken = *found;
  others.erase(found);
  return taken;
}

void compare_patch_lists(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  Patches others = without_equals(b, a);
  for (const ManifestPatch* const patch : without_equals(a, b)) {
    Cause cause = cause_of(*patch, causes);
    const ManifestPatch* const counterpart = take_counterpart(*patch, others);
    if (counterpart) cause.add(cause_of(*counterpart, causes));
    entries.push_back(explained({DiffLevel::patch, subject_of(*patch), counterpart ? "changed" : "only_in_a",
                                 text_of(*patch), counterpart ? text_of(*counterpart) : ""},
                                cause));
  }
  for (const ManifestPatch* const patch : others) {
    entries.push_back(
        explained({DiffLevel::patch, subject_of(*patch), "only_in_b", "", text_of(*patch)}, cause_of(*patch, causes)));
  }
}

/// The patches that both sides apply, in the order of one of them.
std::vector<std::string> common_order(const Manifest& side, const Manifest& other) {
  std::set<PatchKey> there;
  for (const ManifestPatch& patch : other.patches) there.insert(key_of(patch));
  std::vector<std::string> names;
  for (const ManifestPatch& patch : side.patches) {
    if (there.count(key_of(patch)) > 0)
      names.push_back(concat(subject_of(patch), " (", patch.sha256.hex().substr(0, 12), ")"));
  }
  return names;
}

void compare_order(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const std::string in_a = join(common_order(a, b), ", "), in_b = join(common_order(b, a), ", ");
  if (in_a == in_b) return;
  entries.push_back(explained({DiffLevel::patch, "order of patches", "order", in_a, in_b}, causes.of_premises()));
}

void compare_added_files(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  std::map<std::string, std::pair<const ManifestAddedFile*, const ManifestAddedFile*>> files;
  const auto place = [](const ManifestAddedFile& file) {
    return concat(repository_directory(file.repository), "/", file.path);
  };
  for (const ManifestAddedFile& file : a.added_files) files[place(file)].first = &file;
  for (const ManifestAddedFile& file : b.added_files) files[place(file)].second = &file;
  const auto text = [](const ManifestAddedFile* file) {
    return file ? concat("mode ", file_mode_text(file->mode), ", blob ", file->blob.hex(), ", of ", file->patchset, " ",
                         file->variant)
                : std::string();
  };
  for (const auto& [path, sides] : files) {
    const std::string in_a = text(sides.first), in_b = text(sides.second);
    if (in_a == in_b) continue;
    Cause cause;
    for (const ManifestAddedFile* const file : {sides.first, sides.second}) {
      if (file) cause.add(causes.of_fix(file->issues, file->patchset, file->variant, file->repository.component));
    }
    const char* const change = !sides.second ? "only_in_a" : !sides.first ? "only_in_b" : "changed";
    entries.push_back(explained({DiffLevel::added_file, path, change, in_a, in_b}, cause));
  }
}

std::string text_of(const PatchedFile* file) {
  if (!file) return {};
  const auto blob = [](const std::optional<ObjectId>& id) { return id ? id->hex() : std::string("none"); };
  std::vector<std::string> names;
  for (const ManifestPatch* const patch : file->patches) names.push_back(concat(patch->patchset, " ", patch->variant));
  return concat("blob ", blob(file->before), " becomes ", blob(file->after), " by ", join(names, ", "));
}

void compare_patched_files(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const PatchedFiles in_a = patched_files(a), in_b = patched_files(b);
  std::set<std::string> paths;
  for (const auto& [path, file] : in_a) paths.insert(path);
  for (const auto& [path, file] : in_b) paths.insert(path);
  for (const std::string& path : paths) {
    const auto found_a = in_a.find(path), found_b = in_b.find(path);
    const PatchedFile* const file_a = found_a == in_a.end() ? nullptr : &found_a->second;
    const PatchedFile* const file_b = found_b == in_b.end() ? nullptr : &found_b->second;
    const std::string text_a = text_of(file_a), text_b = text_of(file_b);
    if (text_a == text_b) continue;
    const char* const change = !file_b ? "only_in_a" : !file_a ? "only_in_b" : "changed";
    entries.push_back(explained({DiffLevel::patched_file, path, change, text_a, text_b},
                                cause_of_patched_file(file_a, file_b, causes)));
  }
}

/// What one side has of a thing, and what the other has; null = nothing.
template <typename Value>
using Sides = std::pair<const Value*, const Value*>;

template <typename Value, typename Key>
auto pair_up(const std::vector<Value>& a, const std::vector<Value>& b, Key key) {
  std::map<decltype(key(a.front())), Sides<Value>> pairs;
  for (const Value& value : a) pairs[key(value)].first = &value;
  for (const Value& value : b) pairs[key(value)].second = &value;
  return pairs;
}

template <typename Value, typename Text>
void compare_each(const Sides<Value>& sides, DiffLevel level, const std::string& subject, Text text, const Cause& cause,
                  DiffEntries& entries) {
  const std::string a = sides.first ? text(*sides.first) : "", b = sides.second ? text(*sides.second) : "";
  const char* const change = !sides.second ? "only_in_a" : !sides.first ? "only_in_b" : "changed";
  if (sides.first && sides.second && a == b) return;
  entries.push_back(explained({level, subject, change, a, b}, cause));
}

std::string setting_text(const PlannedSetting& setting) {
  return concat(quote(setting.value), ", by ", setting.origin);
}

/// Each release, board and host sets variables in its own name; that alone is no difference. Neither is where a release
/// reads them.
std::string origin_kind(const PlannedSetting& setting) {
  return starts_with(setting.origin, "issue ") ? setting.origin : setting.origin.substr(0, setting.origin.find(' '));
}

bool is_same(const Sides<PlannedSetting>& sides) {
  return sides.first && sides.second && sides.first->value == sides.second->value &&
         origin_kind(*sides.first) == origin_kind(*sides.second);
}

Cause cause_of_setting(const Sides<PlannedSetting>& sides, const Causes& causes) {
  Cause cause;
  if (sides.first) cause.add(causes.of_origin(sides.first->origin));
  if (sides.second) cause.add(causes.of_origin(sides.second->origin));
  return cause;
}

void compare_environment(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const auto key = [](const PlannedSetting& setting) {
    return setting.name + (setting.component ? concat(" of ", component_name(*setting.component)) : "");
  };
  for (const auto& [name, sides] : pair_up(a.environment, b.environment, key)) {
    if (is_same(sides)) continue;
    compare_each(sides, DiffLevel::setting, name, setting_text, cause_of_setting(sides, causes), entries);
  }
}

void compare_tool_bounds(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  using Bound = std::pair<std::string, std::string>;
  const Cause cause = causes.of_origin("release " + a.release);
  const auto pairs = pair_up(a.tool_bounds, b.tool_bounds, [](const Bound& bound) { return bound.first; });
  for (const auto& [tool, sides] : pairs) {
    compare_each(
        sides, DiffLevel::tool_bound, tool, [](const Bound& bound) { return bound.second; }, cause, entries);
  }
}

/// Reasons name the facts of each side; they explain a difference, and are none.
std::string decision_text(const IssueDecision& decision) {
  std::string out = issue_status_name(decision.status);
  if (!decision.fix.empty()) out += concat(", fix ", decision.fix);
  if (!decision.variant.empty()) out += concat(", variant ", decision.variant);
  return out;
}

Cause cause_of_decision(const Sides<IssueDecision>& sides) {
  const auto& [a, b] = sides;
  if (!a || !b) return {{}, {}, "the catalogs differ"};
  return {{a->issue}, {}, a->reason == b->reason ? a->reason : concat("A: ", a->reason, "; B: ", b->reason)};
}

void compare_issues(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const auto pairs = pair_up(a.issues, b.issues, [](const IssueDecision& decision) { return decision.issue; });
  for (const auto& [issue, sides] : pairs) {
    const Cause cause = causes.of_premises() ? cause_of_decision(sides) : Cause{};
    compare_each(sides, DiffLevel::issue, issue, decision_text, cause, entries);
  }
}

void compare_warnings(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const auto pairs = pair_up(a.warnings, b.warnings, [](const std::string& warning) { return warning; });
  for (const auto& [warning, sides] : pairs) {
    compare_each(
        sides, DiffLevel::warning, warning, [](const std::string&) { return std::string(); }, causes.of_premises(),
        entries);
  }
}

using TargetFacts = std::map<std::string, std::string>;

std::string yes_or_nothing(bool value) { return value ? "yes" : ""; }

/// What the user says; everything else follows from it.
TargetFacts asked_for(const Manifest& manifest) {
  TargetFacts facts = {{"release", manifest.release},
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
TargetFacts following(const Manifest& manifest) {
  TargetFacts facts = {{"stand-in", manifest.stand_in.value_or("")}};
  for (const auto& [name, value] : manifest.target) facts["target " + name] = value;
  return facts;
}

void compare_facts(TargetFacts a, const TargetFacts& b, const Cause& cause, DiffEntries& entries) {
  TargetFacts other = b;
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

DiffEntries compare_pins(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  DiffEntries pins, overrides;
  for (const RepositoryPath& path : all_repositories(a, b)) {
    const ManifestRepository* const in_a = causes.in_a(path);
    const ManifestRepository* const in_b = causes.in_b(path);
    const std::string text_a = override_text(in_a), text_b = override_text(in_b);
    if (text_a != text_b) {
      const char* const change = text_b.empty() ? "only_in_a" : text_a.empty() ? "only_in_b" : "changed";
      overrides.push_back(
          explained({DiffLevel::replacement, path.text(), change, text_a, text_b}, causes.of_repository(path)));
    }
    if (!path.path.empty() && !(a.has_sources() && b.has_sources())) continue;
    if (causes.is_repinned(path)) {
      pins.push_back(explained({DiffLevel::pin, path.text(), change_of(in_a, in_b), pin_text(in_a), pin_text(in_b)},
                               causes.of_repository(path)));
    } else {
      compare_same_pin(a, b, *in_a, *in_b, causes, pins);
    }
  }
  pins.insert(pins.end(), overrides.begin(), overrides.end());
  return pins;
}

DiffEntries compare_patches(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  DiffEntries entries;
  compare_patch_lists(a.manifest, b.manifest, causes, entries);
  compare_order(a.manifest, b.manifest, causes, entries);
  compare_added_files(a.manifest, b.manifest, causes, entries);
  compare_patched_files(a.manifest, b.manifest, causes, entries);
  return entries;
}

DiffEntries compare_settings(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  DiffEntries entries;
  compare_environment(a.manifest, b.manifest, causes, entries);
  compare_tool_bounds(a.manifest, b.manifest, causes, entries);
  compare_issues(a.manifest, b.manifest, causes, entries);
  compare_warnings(a.manifest, b.manifest, causes, entries);
  return entries;
}

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
