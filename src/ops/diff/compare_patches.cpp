// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <set>

#include "model/submodule_layout.h"
#include "ops/diff/compare.h"
#include "ops/diff/patched_files.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

using emit::DiffLevel;
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

}  // namespace

DiffEntries compare_patches(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  DiffEntries entries;
  compare_patch_lists(a.manifest, b.manifest, causes, entries);
  compare_order(a.manifest, b.manifest, causes, entries);
  compare_added_files(a.manifest, b.manifest, causes, entries);
  compare_patched_files(a.manifest, b.manifest, causes, entries);
  return entries;
}

}  // namespace torchpatch::ops
