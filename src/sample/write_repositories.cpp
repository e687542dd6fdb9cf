// SPDX-License-Identifier: BSD-3-Clause
#include "sample/write_repositories.h"

#include <algorithm>

#include "sample/project.h"
#include "sample/write_project.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::sample {

namespace {

bool is_asked_for(const Version& version, const std::vector<std::string>& only) {
  return only.empty() || std::find(only.begin(), only.end(), version.text()) != only.end();
}

}  // namespace

WrittenReleases write_repositories(const Catalog& shipped, const std::string& directory,
                                   const std::vector<std::string>& only) {
  WrittenReleases written;
  for (const auto& [version, release] : shipped.releases) {
    if (!is_asked_for(version, only)) continue;
    const Projects projects = make_projects(shipped, release);
    if (projects.empty()) continue;
    const std::string folder = concat(directory, "/", version.text());
    make_directories(folder);
    const Commits commits = write_projects(projects, folder);
    for (const auto& [component, pin] : release.components) {
      written[version][component] = commits.at(component_name(component));
    }
  }
  return written;
}

}  // namespace torchpatch::sample
