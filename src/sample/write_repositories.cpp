// SPDX-License-Identifier: BSD-3-Clause
#include "sample/write_repositories.h"

#include "sample/project.h"
#include "sample/write_project.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::sample {

WrittenReleases write_repositories(const Catalog& shipped, const std::string& directory) {
  WrittenReleases written;
  for (const auto& [version, release] : shipped.releases) {
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
