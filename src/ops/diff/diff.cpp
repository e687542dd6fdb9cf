// SPDX-License-Identifier: BSD-3-Clause
#include "ops/diff/diff.h"

#include <algorithm>

#include "emit/manifest/manifest_file.h"
#include "ops/diff/compare.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

emit::DiffSide side_of(const DiffInput& input) {
  const Manifest& manifest = input.manifest;
  emit::DiffSide side{input.name,     input.kind,         manifest.release, manifest.board,
                      manifest.image, !manifest.stand_in, manifest.plan,    {}};
  if (input.has_sources()) side.tree = manifest.tree;
  return side;
}

/// What no other comparison looks at must be equal, too.
void compare_rest(const DiffInput& a, const DiffInput& b, DiffEntries& entries) {
  const auto differs = [&](const std::string& subject, const std::string& in_a, const std::string& in_b) {
    entries.push_back({emit::DiffLevel::manifest, subject, "changed", in_a, in_b});
  };
  const bool have_sources = a.has_sources() && b.has_sources();
  if (have_sources && a.manifest.plan == b.manifest.plan && a.manifest.tree != b.manifest.tree) {
    differs("tree of equal plans", a.manifest.tree.hex(), b.manifest.tree.hex());
  }
  if (!entries.empty()) return;
  if (a.manifest.plan != b.manifest.plan) {
    differs("plan", a.manifest.plan.hex(), b.manifest.plan.hex());
  } else if (have_sources && emit::manifest_json(a.manifest) != emit::manifest_json(b.manifest)) {
    differs("manifest", "", "");
  }
}

std::vector<std::string> notes_of(const DiffInput& a, const DiffInput& b) {
  std::vector<std::string> notes;
  if (!a.has_sources() || !b.has_sources()) {
    notes.emplace_back("a plan knows no submodules, trees or files: they were not compared");
  } else if (!a.files || !b.files) {
    notes.emplace_back("a manifest is no tree: files on disk were not compared with each other");
  }
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

emit::DiffReport diff(const DiffInput& a, const DiffInput& b, const DiffOptions& options) {
  const Causes causes(a, b);
  emit::DiffReport report{side_of(a), side_of(b), compare_request(a, b, causes), notes_of(a, b)};
  append(report.entries, compare_pins(a, b, causes));
  append(report.entries, compare_patches(a, b, causes));
  append(report.entries, compare_settings(a, b, causes));
  append(report.entries, compare_files(a, b, causes, options.list_files));
  compare_rest(a, b, report.entries);
  std::stable_partition(report.entries.begin(), report.entries.end(),
                        [](const emit::DiffEntry& entry) { return entry.because.empty(); });
  return report;
}

}  // namespace torchpatch::ops
