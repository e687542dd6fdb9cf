// SPDX-License-Identifier: BSD-3-Clause
#include "ops/diff/diff_input.h"

#include "emit/manifest/manifest_file.h"
#include "ops/describe_plan.h"
#include "support/file.h"

namespace torchpatch::ops {

DiffInput diff_input_of_tree(const std::string& root, int jobs, Console& console) {
  ScannedTree tree = scan_prepared_tree(root, jobs, console);
  TreeComparison own = compare_with_record(tree, {});
  for (std::string& path : own.extras)
    own.differences.push_back({std::move(path), "extra", "its manifest has no such path"});
  return {root, "tree", std::move(tree.manifest), DiffFiles{std::move(tree.scanned), std::move(own.differences)}};
}

DiffInput diff_input_of_manifest(const std::string& path) {
  return {path, "manifest", emit::parse_manifest(read_file(path), path)};
}

DiffInput diff_input_of_plan(const std::string& name, const Plan& plan, const Catalog& catalog) {
  DiffInput input{name, "plan", {}};
  describe_plan(plan, catalog, input.manifest);
  for (const Component component : plan.components) {
    const ComponentPin& pin = plan.release->components.at(component);
    input.manifest.repositories.push_back({{component, ""}, pin.url, pin.commit, {}, {}, {}});
  }
  for (const PlannedOverride& planned : plan.overrides) {
    input.manifest.repositories.push_back(
        {planned.what->repository, planned.what->url, planned.what->commit, {}, {}, {}});
  }
  describe_overrides(plan, input.manifest);
  describe_patches(plan, input.manifest);
  return input;
}

}  // namespace torchpatch::ops
