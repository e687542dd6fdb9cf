// SPDX-License-Identifier: BSD-3-Clause
#include "ops/recorded_data.h"

#include "support/file.h"

namespace torchpatch::ops {

std::vector<const Release*> chosen_releases(const Catalog& catalog, const std::vector<std::string>& names) {
  std::vector<const Release*> chosen;
  for (const std::string& name : names) chosen.push_back(&catalog.release(name));
  if (!names.empty()) return chosen;
  for (const auto& [version, release] : catalog.releases) chosen.push_back(&release);
  return chosen;
}

std::string write_recorded(const std::string& path, const std::string& bytes) {
  make_directories(parent_path(path));
  write_file_atomically(path, bytes);
  return path;
}

}  // namespace torchpatch::ops
