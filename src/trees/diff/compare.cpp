// SPDX-License-Identifier: BSD-3-Clause
#include "trees/diff/diff.h"

#include <algorithm>
#include <set>

#include "git/object.h"
#include "model/repository_path.h"
#include "record/sbom.h"
#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

/// Returns "<commit> of 2019-04-30"; an unreadable raw commit has no date, and verify reports it.
std::string pin_text(const ManifestRepository* repository) {
  if (!repository) return {};
  std::string out = repository->commit.hex();
  if (repository->raw_commit.empty()) return out;
  try {
    return concat(out, " of ", record::utc_time(git::parse_commit(repository->raw_commit).time).substr(0, 10));
  } catch (const Error&) {
    return out;
  }
}

std::string override_text(const ManifestRepository* repository) {
  if (!repository || !repository->overridden) return {};
  return concat(repository->commit.hex(), " in place of ", repository->overridden->replaces.hex());
}

/// Adds an entry if the texts of both sides differ.
template <typename Value, typename Text, typename CauseOf>
void compare_sides(DiffLevel level, const std::string& subject, const Sides<Value>& sides, Text text, CauseOf cause_of,
                   DiffEntries& entries) {
  const std::string a = sides.a ? text(*sides.a) : "", b = sides.b ? text(*sides.b) : "";
  if (!sides.a || !sides.b || a != b)
    entries.push_back(explained({level, subject, sides.change(), a, b}, cause_of(sides)));
}

/// Compares the values of two lists by key.
template <typename Values, typename Key, typename Text, typename CauseOf>
void compare_lists(DiffLevel level, const Values& a, const Values& b, Key key, Text text, CauseOf cause_of,
                   DiffEntries& entries) {
  for (const auto& [subject, sides] : pair_up(a, b, key)) compare_sides(level, subject, sides, text, cause_of, entries);
}

/// Returns what changes a repository's tree besides its commit.
std::string changes_in(const Manifest& manifest, const RepositoryPath& path) {
  std::string out;
  for (const ManifestPatch& patch : manifest.patches)
    if (patch.repository == path) out += patch.sha256.hex();
  for (const ManifestAddedFile& file : manifest.added_files)
    if (file.repository == path) out += concat(file.path, " ", name_of(file.mode), " ", file.blob.hex());
  return out;
}

/// Equal commits with equal patches must have equal trees and URLs.
void compare_same_pin(const DiffInput& a, const DiffInput& b, const ManifestRepository& in_a,
                      const ManifestRepository& in_b, const Causes& causes, DiffEntries& entries) {
  if (in_a.url != in_b.url) {
    const Cause cause = causes.of_premises();
    entries.push_back(explained({DiffLevel::pin, in_a.path.text(), "changed", in_a.url, in_b.url}, cause));
  }
  if (!a.has_sources() || !b.has_sources() || in_a.patched_tree == in_b.patched_tree ||
      changes_in(a.manifest, in_a.path) != changes_in(b.manifest, in_a.path))
    return;
  entries.push_back({DiffLevel::pin, in_a.path.text(), "changed", "patched tree " + in_a.patched_tree.hex(),
                     "patched tree " + in_b.patched_tree.hex()});
}

using Patches = std::vector<const ManifestPatch*>;
using PatchKey = std::pair<std::string, RepositoryPath>;  ///< sha256, repository

std::string subject_of(const ManifestPatch& patch) { return concat(patch.patchset, " in ", patch.repository.text()); }

std::string patch_text(const ManifestPatch& patch) {
  return concat(patch.variant, ", sha256 ", patch.sha256.hex(), patch.is_certified ? "" : ", not certified", ", for ",
                patch.issues.empty() ? "no issue" : join(patch.issues, ", "));
}

PatchKey key_of(const ManifestPatch& patch) { return {patch.sha256.hex(), patch.repository}; }

/// Returns the patches of `side` that `other` does not apply, or describes differently.
Patches without_equals(const Manifest& side, const Manifest& other) {
  std::multiset<std::pair<PatchKey, std::string>> there;
  for (const ManifestPatch& patch : other.patches) there.insert({key_of(patch), patch_text(patch)});
  Patches rest;
  for (const ManifestPatch& patch : side.patches) {
    const auto found = there.find({key_of(patch), patch_text(patch)});
    if (found == there.end())
      rest.push_back(&patch);
    else
      there.erase(found);
  }
  return rest;
}

/// Removes and returns the counterpart of `patch` on the other side: with the same bytes, else of the same patchset.
const ManifestPatch* take_counterpart(const ManifestPatch& patch, Patches& others) {
  auto found = std::ranges::find_if(others, [&](const auto* other) { return key_of(*other) == key_of(patch); });
  if (found == others.end()) {
    found = std::ranges::find_if(others, [&](const auto* other) {
      return other->patchset == patch.patchset && other->repository == patch.repository;
    });
  }
  if (found == others.end()) return nullptr;
  const ManifestPatch* const taken = *found;
  others.erase(found);
  return taken;
}

/// Returns the patches that both sides apply, in the order of `side`.
std::vector<std::string> common_order(const Manifest& side, const Manifest& other) {
  std::set<PatchKey> there;
  for (const ManifestPatch& patch : other.patches) there.insert(key_of(patch));
  std::vector<std::string> names;
  for (const ManifestPatch& patch : side.patches)
    if (there.contains(key_of(patch)))
      names.push_back(concat(subject_of(patch), " (", patch.sha256.hex().substr(0, 12), ")"));
  return names;
}

void compare_order(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const std::string in_a = join(common_order(a, b), ", "), in_b = join(common_order(b, a), ", ");
  if (in_a == in_b) return;
  entries.push_back(explained({DiffLevel::patch, "order of patches", "order", in_a, in_b}, causes.of_premises()));
}

/// Returns the cause for differing patches and files: their fixes differ.
template <typename Value>
auto cause_of_fixes(const Causes& causes) {
  return [&causes](const Sides<Value>& sides) {
    Cause cause;
    for (const Value* const each : {sides.a, sides.b})
      if (each) cause.add(causes.of_fix(each->issues, each->patchset, each->variant, each->repository.component));
    return cause;
  };
}

void compare_patch_lists(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const auto add = [&](const ManifestPatch& subject, const Sides<ManifestPatch>& sides) {
    compare_sides(DiffLevel::patch, subject_of(subject), sides, patch_text, cause_of_fixes<ManifestPatch>(causes),
                  entries);
  };
  Patches others = without_equals(b, a);
  for (const ManifestPatch* const patch : without_equals(a, b)) add(*patch, {patch, take_counterpart(*patch, others)});
  for (const ManifestPatch* const patch : others) add(*patch, {nullptr, patch});
}

void compare_added_files(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const auto place = [](const ManifestAddedFile& file) {
    return concat(repository_directory(file.repository), "/", file.path);
  };
  const auto text = [](const ManifestAddedFile& file) {
    return concat("mode ", name_of(file.mode), ", blob ", file.blob.hex(), ", of ", file.patchset, " ", file.variant);
  };
  compare_lists(DiffLevel::added_file, a.added_files, b.added_files, place, text,
                cause_of_fixes<ManifestAddedFile>(causes), entries);
}

void compare_patched_files(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  using File = PatchedFiles::value_type;
  const auto text = [](const File& file) {
    const auto blob = [](const std::optional<ObjectId>& id) { return id ? id->hex() : std::string("none"); };
    const auto name = [](const ManifestPatch* patch) { return concat(patch->patchset, " ", patch->variant); };
    return concat("blob ", blob(file.second.before), " becomes ", blob(file.second.after), " by ",
                  join(collect(file.second.patches, name), ", "));
  };
  const auto cause = [&](const Sides<File>& sides) {
    return causes.of_patched_file(sides.a ? &sides.a->second : nullptr, sides.b ? &sides.b->second : nullptr);
  };
  compare_lists(DiffLevel::patched_file, patched_files(a), patched_files(b), &File::first, text, cause, entries);
}

/// Releases, boards and hosts set variables under their own names; that alone is not a difference, nor is the place
/// where a release reads them.
std::string origin_kind(const PlannedSetting& setting) {
  return starts_with(setting.origin, "issue ") ? setting.origin : setting.origin.substr(0, setting.origin.find(' '));
}

void compare_environment(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const auto key = [](const PlannedSetting& setting) {
    return setting.name + (setting.component ? concat(" of ", name_of(*setting.component)) : "");
  };
  const auto cause_of_setting = [&](const Sides<PlannedSetting>& sides) {
    Cause cause;
    for (const PlannedSetting* const side : {sides.a, sides.b})
      for (const std::string& origin : side ? origins_of(*side) : std::vector<std::string>{})
        cause.add(causes.of_origin(origin));
    return cause;
  };
  for (const auto& [name, sides] : pair_up(a.environment, b.environment, key)) {
    const bool is_same = sides.a && sides.b && sides.a->value == sides.b->value &&
                         origin_kind(*sides.a) == origin_kind(*sides.b) &&
                         is_exported(*sides.a) == is_exported(*sides.b);
    const auto text = [](const PlannedSetting& set) { return concat(quote(set.value), ", by ", set.origin); };
    if (!is_same) compare_sides(DiffLevel::setting, name, sides, text, cause_of_setting, entries);
  }
}

void compare_tool_bounds(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  compare_lists(
      DiffLevel::tool_bound, a.tool_bounds, b.tool_bounds, &ToolBound::tool,
      [](const ToolBound& bound) { return bound.range; },
      [&](const Sides<ToolBound>&) { return causes.of_origin("release " + a.release); }, entries);
}

/// Reasons contain each side's facts; they explain a difference but are not one.
std::string decision_text(const IssueDecision& decision) {
  std::string out = name_of(decision.status);
  if (!decision.fix.empty()) out += concat(", fix ", decision.fix);
  if (!decision.variant.empty()) out += concat(", variant ", decision.variant);
  return out;
}

void compare_issues(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const auto cause_of_decision = [&](const Sides<IssueDecision>& sides) -> Cause {
    if (!causes.of_premises()) return {};
    if (!sides.a || !sides.b) return {{}, {}, "the catalogs differ"};
    const std::string &in_a = sides.a->reason, &in_b = sides.b->reason;
    return {{sides.a->issue}, {}, in_a == in_b ? in_a : concat("A: ", in_a, "; B: ", in_b)};
  };
  compare_lists(DiffLevel::issue, a.issues, b.issues, &IssueDecision::issue, decision_text, cause_of_decision, entries);
}

void compare_warnings(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  compare_lists(
      DiffLevel::warning, a.warnings, b.warnings, std::identity(), [](const std::string&) { return std::string(); },
      [&](const Sides<std::string>&) { return causes.of_premises(); }, entries);
}

using TargetFacts = std::map<std::string, std::string>;

std::string yes_or_nothing(bool value) { return value ? "yes" : ""; }

/// Returns the user's choices; everything else follows from them.
TargetFacts asked_for(const Manifest& manifest) {
  TargetFacts facts = {{"release", manifest.release},
                       {"board", manifest.board},
                       {"image", manifest.image},
                       {"--with", join(manifest.with_fixes, ", ")},
                       {"--without", join(manifest.without_fixes, ", ")},
                       {"--build-target", manifest.build_target},
                       {"--force", yes_or_nothing(manifest.forced)},
                       {"--unpatched", yes_or_nothing(manifest.unpatched)}};
  facts["components"] =
      join(collect(manifest.components, [](Component each) -> std::string { return name_of(each); }), ", ");
  for (const auto& [name, value] : manifest.settings) facts["--set " + name] = value;
  for (const std::string& name : manifest.forced_settings) facts["--force-set " + name] = "yes";
  for (const auto& [name, value] : manifest.host) facts["host " + name] = value;
  return facts;
}

/// Returns the values from the release, the board and the image.
TargetFacts following(const Manifest& manifest) {
  TargetFacts facts = {{"stand-in", manifest.stand_in.value_or("")}};
  for (const auto& [name, value] : manifest.target) facts["target " + name] = value;
  return facts;
}

void compare_facts(TargetFacts a, TargetFacts b, const Cause& cause, DiffEntries& entries) {
  for (const auto& [name, value] : b) a.try_emplace(name);
  for (const auto& [name, value] : a) {
    if (value == b[name]) continue;
    entries.push_back(explained({DiffLevel::request, name, "changed", value, b[name]}, cause));
  }
}

/// Returns why boards and images have different facts.
Cause cause_of_facts(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  if (a.manifest.release != b.manifest.release || a.manifest.board != b.manifest.board ||
      a.manifest.image != b.manifest.image)
    return {{}, {}, "follows from release, board and image"};
  if (Cause cause = causes.of_entry("board " + a.manifest.board)) return cause;
  return causes.of_entry("release " + a.manifest.release);
}

/// Entries on one side only follow from its release, board and patches; only issues are in every plan.
void compare_entries(const Manifest& a, const Manifest& b, DiffEntries& entries) {
  const auto text = [](const EntryOrigin& origin) { return concat(origin.layer, ", sha256 ", origin.digest.hex()); };
  const auto cause = [](const auto&) -> Cause { return {{}, {}, "the catalogs differ"}; };
  for (const auto& [entry, sides] : pair_up(a.origins, b.origins, &EntryOrigin::entry)) {
    const bool is_told = (sides.a && sides.b) || starts_with(entry, "issue ");
    if (is_told) compare_sides(DiffLevel::catalog, entry, sides, text, cause, entries);
  }
}

}  // namespace

DiffEntries compare_pins(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  DiffEntries pins, overrides;
  const auto pairs = pair_up(a.manifest.repositories, b.manifest.repositories, &ManifestRepository::path);
  for (const auto& [path, sides] : pairs) {
    const std::string text_a = override_text(sides.a), text_b = override_text(sides.b);
    if (text_a != text_b) {
      const char* const change = text_b.empty() ? "only_in_a" : text_a.empty() ? "only_in_b" : "changed";
      overrides.push_back(
          explained({DiffLevel::replacement, path.text(), change, text_a, text_b}, causes.of_repository(path)));
    }
    if (!path.path.empty() && !(a.has_sources() && b.has_sources())) continue;
    if (causes.is_repinned(path)) {
      pins.push_back(explained({DiffLevel::pin, path.text(), sides.change(), pin_text(sides.a), pin_text(sides.b)},
                               causes.of_repository(path)));
    } else {
      compare_same_pin(a, b, *sides.a, *sides.b, causes, pins);
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
  const Cause asked = {{}, {}, "requested"};
  compare_facts(asked_for(a.manifest), asked_for(b.manifest), asked, entries);
  if (a.has_sources() && b.has_sources()) {
    compare_facts({{"--allow-uncertified", yes_or_nothing(a.manifest.allow_uncertified)}},
                  {{"--allow-uncertified", yes_or_nothing(b.manifest.allow_uncertified)}}, asked, entries);
  }
  compare_facts(following(a.manifest), following(b.manifest), cause_of_facts(a, b, causes), entries);
  compare_facts({{"torchpatch", a.manifest.tool_version}}, {{"torchpatch", b.manifest.tool_version}},
                {{}, {}, "prepared by another version of torchpatch"}, entries);
  compare_entries(a.manifest, b.manifest, entries);
  return entries;
}

}  // namespace torchpatch::trees
