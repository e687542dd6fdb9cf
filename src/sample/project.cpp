// SPDX-License-Identifier: BSD-3-Clause
#include "sample/project.h"

#include <algorithm>

#include "patch/parse_patch.h"
#include "sample/base_projects.h"
#include "sample/filler.h"
#include "support/text.h"

namespace torchpatch::sample {

namespace {

/// Returns the submodule of `project` that `path` is, or lies below; null where there is none.
const SubmoduleDraft* enclosing_submodule(const Project& project, const std::string& path) {
  for (const SubmoduleDraft& submodule : project.submodules) {
    if (path == submodule.path || starts_with(path, submodule.path + "/")) return &submodule;
  }
  return nullptr;
}

/// Returns a name for the repository at `place` that can be a file's: "torch+third_party+foxi".
std::string project_name(const RepositoryPath& place) {
  std::string name = place.text();
  std::replace(name.begin(), name.end(), ':', '+');
  std::replace(name.begin(), name.end(), '/', '+');
  return name;
}

/// Returns the project that stands at `place`; one that is not there yet is added to the deepest that encloses it.
Project& project_at(Projects& projects, const RepositoryPath& place) {
  Project* project = &projects.at(component_name(place.component));
  std::string rest = place.path;
  while (!rest.empty()) {
    const SubmoduleDraft* submodule = enclosing_submodule(*project, rest);
    if (submodule == nullptr) {
      const std::string name = project_name(place);
      project->submodules.push_back({rest, stand_in_url(concat(component_name(place.component), "/", rest)), name});
      return projects[name] = make_submodule_project(name);
    }
    rest = rest == submodule->path ? "" : rest.substr(submodule->path.size() + 1);
    project = &projects.at(submodule->project);
  }
  return *project;
}

std::vector<const Patch*> patches_for(const Catalog& catalog, const Release& release) {
  std::vector<const Patch*> patches;
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      if (!variant.releases.contains(release.version)) continue;
      for (const Patch& patch : variant.patches) {
        if (release.find(patch.repository.component) != nullptr) patches.push_back(&patch);
      }
    }
  }
  return patches;
}

/// Where a variable is read, as the catalog writes it: "setup.py:242", "vision:setup.py:45".
struct ReadingPlace {
  std::string component = component_name(Component::torch);
  std::string path;
  std::uint32_t line = 0;
  auto operator<=>(const ReadingPlace&) const = default;
};

ReadingPlace parse_place(const std::string& text) {
  ReadingPlace place;
  std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 3) {
    place.component = parts.front();
    parts.erase(parts.begin());
  }
  place.path = parts.front();
  place.line = static_cast<std::uint32_t>(parse_decimal(parts.back()).value_or(0));
  return place;
}

void mention_flags(const Release& release, Projects& projects) {
  std::map<ReadingPlace, std::vector<std::string>> names;
  for (const BuildFlag& flag : release.flags) names[parse_place(flag.read_at)].push_back(flag.name);
  for (const auto& [place, flags] : names) {
    const auto project = projects.find(place.component);
    if (project == projects.end()) continue;
    const std::string text = concat("torchpatch stand-in, line ", place.line, ": upstream reads ", join(flags, ", "));
    suggest_line(place.path, place.line, comment_line(place.path, text), project->second.files);
  }
}

}  // namespace

Projects make_projects(const Catalog& catalog, const Release& release) {
  const std::vector<const Patch*> patches = patches_for(catalog, release);
  if (patches.empty()) return {};
  Projects projects = make_base_projects(release);
  for (const Patch* patch : patches) {
    expect_patch(patch::parse_patch(patch->text, patch->file), patch->file,
                 project_at(projects, patch->repository).files);
  }
  mention_flags(release, projects);
  return projects;
}

}  // namespace torchpatch::sample
