// SPDX-License-Identifier: BSD-3-Clause
#include "ops/lookup_files.h"

#include <algorithm>

namespace torchpatch::ops {

std::optional<patch::TreeFile> LookupFiles::read(const std::string& path) {
  const auto entry = lookup_.find(repository_, path);
  if (!entry || entry->mode == FileMode::directory) return std::nullopt;
  if (entry->mode == FileMode::gitlink) return patch::TreeFile{entry->mode, entry->id.hex()};
  return patch::TreeFile{entry->mode, lookup_.read_blob(repository_, *entry)};
}

bool LookupFiles::is_directory(const std::string& path) {
  const auto entry = lookup_.find(repository_, path);
  return entry && entry->mode == FileMode::directory;
}

bool LookupFiles::has_others_below(const std::string& path, const std::set<std::string>& removed) {
  const auto below = lookup_.list(repository_, path);
  return std::any_of(below.begin(), below.end(), [&](const auto& entry) { return !removed.contains(entry.path); });
}

}  // namespace torchpatch::ops
