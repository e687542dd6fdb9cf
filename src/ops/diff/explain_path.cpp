// SPDX-License-Identifier: BSD-3-Clause
#include "ops/diff/explain_path.h"

#include <algorithm>

#include "model/repository_path.h"
#include "record/manifest_file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

bool applies(const PatchedFile* file, const ManifestPatch& patch) {
  return file && std::any_of(file->patches.begin(), file->patches.end(),
                             [&](const ManifestPatch* other) { return other->sha256 == patch.sha256; });
}

/// What the files of torchpatch/ are written from.
std::string described(Manifest manifest) {
  manifest.side_files.clear();
  return record::manifest_json(manifest);
}

std::map<std::string, const ManifestAddedFile*> added_by_path(const Manifest& manifest) {
  std::map<std::string, const ManifestAddedFile*> files;
  for (const ManifestAddedFile& file : manifest.added_files) {
    files[concat(repository_directory(file.repository), "/", file.path)] = &file;
  }
  return files;
}

template <typename Map>
auto find_value(const Map& map, const std::string& path) {
  const auto found = map.find(path);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

PatchedFiles patched_files(const Manifest& manifest) {
  PatchedFiles files;
  for (const ManifestPatch& patch : manifest.patches) {
    for (const ManifestEdge& edge : patch.edges) {
      PatchedFile& file = files[repository_directory(patch.repository) + "/" + edge.path];
      file.repository = patch.repository;
      if (file.patches.empty()) file.before = edge.before;
      file.after = edge.after;
      file.patches.push_back(&patch);
    }
  }
  return files;
}

Cause cause_of_patched_file(const PatchedFile* a, const PatchedFile* b, const Causes& causes) {
  Cause cause;
  for (const auto& [side, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (!side) continue;
    for (const ManifestPatch* const patch : side->patches) {
      if (applies(other, *patch)) continue;
      cause.add(causes.of_fix(patch->issues, patch->patchset, patch->variant, patch->repository.component));
    }
  }
  const PatchedFile& any = a ? *a : *b;
  if (causes.is_repinned(any.repository)) cause.add(causes.of_repository(any.repository));
  return cause;
}

PathCauses::PathCauses(const DiffInput& a, const DiffInput& b, const Causes& causes)
    : causes_(causes),
      manifests_differ_(described(a.manifest) != described(b.manifest)),
      patched_a_(patched_files(a.manifest)),
      patched_b_(patched_files(b.manifest)),
      added_a_(added_by_path(a.manifest)),
      added_b_(added_by_path(b.manifest)) {
  for (const DiffInput* const side : {&a, &b}) {
    for (const ManifestRepository& repository : side->manifest.repositories) {
      repositories_[repository_directory(repository.path)] = repository.path;
    }
  }
}

const RepositoryPath* PathCauses::owner(const std::string& path) const {
  std::string directory = path;
  for (;;) {
    if (const RepositoryPath* const found = find_value(repositories_, directory)) return found;
    const std::size_t slash = directory.rfind('/');
    if (slash == std::string::npos) return nullptr;
    directory.resize(slash);
  }
}

Cause PathCauses::cause_of_added_file(const std::string& path) const {
  const auto in_a = find_value(added_a_, path), in_b = find_value(added_b_, path);
  if (in_a && in_b && (*in_a)->blob == (*in_b)->blob && (*in_a)->mode == (*in_b)->mode) return {};
  Cause cause;
  for (const auto* const found : {in_a, in_b}) {
    if (!found) continue;
    const ManifestAddedFile& file = **found;
    cause.add(causes_.of_fix(file.issues, file.patchset, file.variant, file.repository.component));
  }
  return cause;
}

Cause PathCauses::cause(const std::string& path) const {
  if (starts_with(path, "torchpatch/")) {
    if (!manifests_differ_) return {};
    return {{}, {}, "written from the manifest, which differs"};
  }
  const RepositoryPath* const repository = owner(path);
  if (!repository) return {};
  if (causes_.is_repinned(*repository)) return causes_.of_repository(*repository);
  Cause cause = cause_of_added_file(path);
  const PatchedFile* const in_a = find_value(patched_a_, path);
  const PatchedFile* const in_b = find_value(patched_b_, path);
  if (in_a || in_b) cause.add(cause_of_patched_file(in_a, in_b, causes_));
  return cause;
}

}  // namespace torchpatch::ops
