// SPDX-License-Identifier: BSD-3-Clause
#include "ops/compare_catalog.h"

#include <algorithm>

#include "emit/manifest/manifest_file.h"
#include "model/submodule_layout.h"
#include "ops/describe_plan.h"
#include "plan/make_plan.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "support/version.h"

namespace torchpatch::ops {

namespace {

void compare_pins(const Manifest& manifest, const Catalog& catalog, std::vector<emit::Difference>& differences) {
  const std::optional<Version> version = Version::parse(manifest.release);
  const auto release = version ? catalog.releases.find(*version) : catalog.releases.end();
  if (release == catalog.releases.end()) {
    differences.push_back({"", "pin-not-in-catalog", concat("no given catalog has release ", quote(manifest.release))});
    return;
  }
  for (const Component component : manifest.components) {
    const ComponentPin* pin = release->second.find(component);
    const auto used =
        std::find_if(manifest.repositories.begin(), manifest.repositories.end(), [&](const auto& repository) {
          return repository.path == RepositoryPath{component, ""};
        });
    if (used == manifest.repositories.end()) {
      differences.push_back(
          {component_name(component), "manifest", "the manifest has no repository for this component"});
    } else if (!pin || pin->commit != used->commit) {
      differences.push_back(
          {component_name(component), "pin-not-in-catalog",
           concat("commit ", used->commit.hex(), ", the catalog pins ", pin ? pin->commit.hex() : "none")});
    }
  }
  if (release->second.stand_in != manifest.stand_in) {
    differences.push_back({"", "manifest", "what it says of standing in for upstream differs from the catalog"});
  }
}

bool knows_patch(const Catalog& catalog, const ManifestPatch& entry) {
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      for (const Patch& patch : variant.patches) {
        if (patch.sha256 == entry.sha256 && patch.repository == entry.repository) return true;
      }
    }
  }
  return false;
}

bool knows_file(const Catalog& catalog, const ManifestAddedFile& entry) {
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      for (const AddedFile& file : variant.files) {
        if (file.sha256 == entry.sha256 && file.repository == entry.repository && file.path == entry.path) return true;
      }
    }
  }
  return false;
}

void compare_patches(const Manifest& manifest, const Catalog& catalog, std::vector<emit::Difference>& differences) {
  for (const ManifestPatch& entry : manifest.patches) {
    if (knows_patch(catalog, entry)) continue;
    std::vector<std::string> paths;
    for (const ManifestEdge& edge : entry.edges) paths.push_back(edge.path);
    differences.push_back(
        {"torchpatch/" + entry.file, "patch-not-in-catalog",
         concat("sha256 ", entry.sha256.hex(), " changes ", join(paths, ", "), " of ", entry.repository.text())});
  }
  for (const ManifestAddedFile& entry : manifest.added_files) {
    if (knows_file(catalog, entry)) continue;
    differences.push_back({repository_directory(entry.repository) + "/" + entry.path, "patch-not-in-catalog",
                           "an added file that no given catalog knows"});
  }
}

bool knows_override(const Catalog& catalog, const ManifestRepository& repository) {
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      for (const SubmoduleOverride& what : variant.overrides) {
        if (what.repository == repository.path && what.replaces == repository.gitlink() &&
            what.commit == repository.commit)
          return true;
      }
    }
  }
  return false;
}

void compare_overrides(const Manifest& manifest, const Catalog& catalog, std::vector<emit::Difference>& differences) {
  for (const ManifestRepository& repository : manifest.repositories) {
    if (!repository.overridden || knows_override(catalog, repository)) continue;
    differences.push_back(
        {repository.path.text(), "override-not-in-catalog",
         concat("commit ", repository.commit.hex(), " takes the place of the pinned ", repository.gitlink().hex())});
  }
}

void compare_result(const Manifest& manifest, const Catalog& catalog, std::vector<emit::Difference>& differences) {
  const auto recorded = catalog.results.find(manifest.plan);
  if (recorded == catalog.results.end() || !manifest.gaps.empty()) return;  // only whole trees are recorded
  for (const auto& [component, tree] : recorded->second.trees) {
    const auto found = manifest.trees.find(component);
    if (found != manifest.trees.end() && found->second == tree) continue;
    differences.push_back(
        {component_directory(component), "result", concat("the catalog records tree ", tree.hex(), " for this plan")});
  }
}

/// True where the catalog holds every entry in the version that the manifest names.
bool has_same_entries(const Manifest& manifest, const Catalog& catalog) {
  return !manifest.origins.empty() &&
         std::all_of(manifest.origins.begin(), manifest.origins.end(), [&](const auto& origin) {
           const auto found = catalog.origins.find(origin.entry);
           return found != catalog.origins.end() && found->second.digest == origin.digest;
         });
}

PlanOptions options_of(const Manifest& manifest) {
  PlanOptions options;
  options.components.insert(manifest.components.begin(), manifest.components.end());
  options.with_fixes.insert(manifest.with_fixes.begin(), manifest.with_fixes.end());
  options.without_fixes.insert(manifest.without_fixes.begin(), manifest.without_fixes.end());
  options.settings = manifest.settings;
  if (!manifest.host.empty()) options.host = concat(manifest.host.at("board"), ":", manifest.host.at("image"));
  options.force = manifest.forced;
  options.unpatched = manifest.unpatched;
  return options;
}

/// Writes again, from the catalog, what follows from the plan, and compares.
void compare_generated(const Manifest& manifest, const Catalog& catalog, std::vector<emit::Difference>& differences) {
  const Plan plan = plan::make_plan(catalog, manifest.release, manifest.board, manifest.image, options_of(manifest));
  Manifest again = manifest;
  describe_plan(plan, catalog, again);
  describe_gaps(again);
  describe_overrides(plan, again);
  describe_answered_issues(catalog, again);
  again.tool_version = manifest.tool_version;
  for (std::size_t i = 0; i < again.origins.size() && i < manifest.origins.size(); ++i)
    again.origins[i].layer = manifest.origins[i].layer;
  if (emit::manifest_json(again) != emit::manifest_json(manifest)) {
    differences.push_back(
        {"torchpatch/manifest.json", "manifest", "the catalog's plan for these options says otherwise"});
  }
  if (manifest.tool_version != kToolVersion) return;
  for (const SideFile& file : generated_files(again, plan, catalog)) {
    const auto listed = std::find_if(manifest.side_files.begin(), manifest.side_files.end(),
                                     [&](const auto& side) { return side.name == file.name; });
    if (listed != manifest.side_files.end() && listed->sha256 == sha256(file.bytes)) continue;
    differences.push_back({"torchpatch/" + file.name, "changed", "is not what this plan generates"});
  }
}

}  // namespace

CatalogComparison compare_with_catalog(const Manifest& manifest, const Catalog& catalog) {
  CatalogComparison result;
  compare_pins(manifest, catalog, result.differences);
  compare_overrides(manifest, catalog, result.differences);
  compare_patches(manifest, catalog, result.differences);
  compare_result(manifest, catalog, result.differences);
  if (!has_same_entries(manifest, catalog)) {
    result.notes.push_back(
        "the catalog is not the one this tree was made with: environment and build files were not compared with it");
    return result;
  }
  try {
    compare_generated(manifest, catalog, result.differences);
  } catch (const Error& error) {
    result.differences.push_back(
        {"torchpatch/manifest.json", "manifest", concat("no plan has these options: ", error.message())});
  }
  return result;
}

}  // namespace torchpatch::ops
