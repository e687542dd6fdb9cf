// SPDX-License-Identifier: BSD-3-Clause
#include "model/manifest.h"

namespace torchpatch {

std::set<std::string> answered_issues(const Manifest& manifest) {
  std::set<std::string> ids;
  for (const ManifestPatch& patch : manifest.patches) ids.insert(patch.issues.begin(), patch.issues.end());
  for (const ManifestAddedFile& file : manifest.added_files) ids.insert(file.issues.begin(), file.issues.end());
  for (const ManifestRepository& repository : manifest.repositories) {
    if (!repository.overridden) continue;
    ids.insert(repository.overridden->issues.begin(), repository.overridden->issues.end());
  }
  return ids;
}

}  // namespace torchpatch
