// SPDX-License-Identifier: BSD-3-Clause
#include "trees/diff/diff.h"

#include <algorithm>

#include "record/manifest_file.h"
#include "support/file.h"
#include "support/text.h"
#include "trees/diff/compare.h"
#include "trees/prepare/manifest.h"

namespace torchpatch::trees {

namespace {

DiffSide side_of(const DiffInput& input) {
  const Manifest& manifest = input.manifest;
  DiffSide side{input.name,     input.kind,         manifest.release, manifest.board,
                manifest.image, !manifest.stand_in, manifest.plan,    {}};
  if (input.has_sources()) side.tree = manifest.tree;
  return side;
}

/// What no other comparison looks at must be equal, too.
void compare_rest(const DiffInput& a, const DiffInput& b, DiffEntries& entries) {
  const auto differs = [&](const std::string& subject, const std::string& in_a, const std::string& in_b) {
    entries.push_back({DiffLevel::manifest, subject, "changed", in_a, in_b});
  };
  const bool have_sources = a.has_sources() && b.has_sources();
  if (have_sources && a.manifest.plan == b.manifest.plan && a.manifest.tree != b.manifest.tree)
    differs("tree of equal plans", a.manifest.tree.hex(), b.manifest.tree.hex());
  if (!entries.empty()) return;
  if (a.manifest.plan != b.manifest.plan)
    differs("plan", a.manifest.plan.hex(), b.manifest.plan.hex());
  else if (have_sources && record::manifest_json(a.manifest) != record::manifest_json(b.manifest))
    differs("manifest", "", "");
}

std::vector<std::string> side_notes(const DiffInput& a, const DiffInput& b) {
  std::vector<std::string> notes;
  if (!a.has_sources() || !b.has_sources())
    notes.emplace_back("a plan knows no submodules, trees or files: they were not compared");
  else if (!a.files || !b.files)
    notes.emplace_back("a manifest is no tree: files on disk were not compared with each other");
  for (const DiffInput* const side : {&a, &b}) {
    for (const ManifestPatch& patch : side->manifest.patches) {
      if (side->has_sources() || !patch.edges.empty()) continue;
      notes.push_back(concat("no certificate says which files ", patch.patchset, " ", patch.variant, " changes in ",
                             side == &a ? "A" : "B"));
    }
  }
  return notes;
}

void append(DiffEntries& all, DiffEntries more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

DiffInput diff_input_of_tree(const std::string& root, const LoadCatalog& load, int jobs, Console& console) {
  Catalog catalog;
  const auto load_it = [&](const Manifest& manifest) { catalog = load(layers_of(manifest)); };
  ScannedTree tree = scan_prepared_tree(root, jobs, console, load_it, Unlisted::read);
  VerifyReport own = verify(tree, catalog, {}, console);
  return {root, "tree", std::move(tree.manifest), DiffFiles{std::move(tree.scanned), std::move(own.differences)}};
}

DiffInput diff_input_of_manifest(const std::string& path) {
  return {path, "manifest", record::parse_manifest(read_file(path), path)};
}

DiffInput diff_input_of_plan(const std::string& name, const Plan& plan, const Catalog& catalog) {
  Manifest known;
  for (const Component component : plan.components) {
    const ComponentPin& pin = plan.release->components.at(component);
    known.repositories.push_back({{component, ""}, pin.url, pin.commit, {}, {}, {}});
  }
  for (const PlannedOverride& planned : plan.overrides)
    known.repositories.push_back({planned.what->repository, planned.what->url, planned.what->commit, {}, {}, {}});
  return {name, "plan", make_manifest(plan, catalog, std::move(known))};
}

DiffReport diff(const DiffInput& a, const DiffInput& b, const DiffOptions& options) {
  const Causes causes(a, b);
  DiffReport report{side_of(a), side_of(b), compare_request(a, b, causes), side_notes(a, b)};
  append(report.entries, compare_pins(a, b, causes));
  append(report.entries, compare_patches(a, b, causes));
  append(report.entries, compare_settings(a, b, causes));
  append(report.entries, compare_files(a, b, causes, options.list_files));
  compare_rest(a, b, report.entries);
  std::stable_partition(report.entries.begin(), report.entries.end(),
                        [](const DiffEntry& entry) { return entry.because.empty(); });
  return report;
}

}  // namespace torchpatch::trees
