// SPDX-License-Identifier: BSD-3-Clause
#include "ops/diff/patched_files.h"

#include <algorithm>

#include "model/submodule_layout.h"

namespace torchpatch::ops {

namespace {

bool applies(const PatchedFile* file, const ManifestPatch& patch) {
  return file && std::any_of(file->patches.begin(), file->patches.end(),
                             [&](const ManifestPatch* other) { return other->sha256 == patch.sha256; });
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

}  // namespace torchpatch::ops
