// SPDX-License-Identifier: BSD-3-Clause
#include "trees/verify/against_sources.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "support/error.h"
#include "support/text.h"
#include "trees/prepare/patched_tree.h"

namespace torchpatch::trees {

namespace {

constexpr const char* kNotPinned = "is not what the pinned sources and the plan's patches give";

PatchedTree make_again(const Plan& plan, const Manifest& manifest, const Catalog& catalog, source::ObjectSource& source,
                       int jobs, Console& console) {
  const source::Gaps gaps = manifest.gaps.empty() ? source::Gaps::refused : source::Gaps::allowed;
  PinnedTree pinned(source::read_closure(*plan.release, plan.components, overrides_of(plan), catalog.moved_repositories,
                                         source, jobs, console, gaps),
                    source);
  return make_patched_tree(pinned, patch_steps(plan.patches), add_steps(plan.files), console);
}

/// Returns why an entry is not the file, or nothing.
std::optional<Difference> compare_file(const tree::ScannedEntry& entry, const tree::FileToWrite& file) {
  const auto type = file.mode == FileMode::link ? tree::EntryType::link : tree::EntryType::regular;
  if (entry.type != type) return Difference{entry.path, "type", kNotPinned};
  if (!entry.error.empty()) return std::nullopt;  // told already
  if (entry.blob != file.blob) return Difference{entry.path, "changed", kNotPinned};
  const bool is_executable = type == tree::EntryType::regular && (entry.mode & 0100) != 0;
  if (is_executable != (file.mode == FileMode::executable)) return Difference{entry.path, "mode", kNotPinned};
  return std::nullopt;
}

std::set<std::string> missing_paths(const Manifest& manifest) {
  std::set<std::string> paths;
  for (const ManifestGap& gap : manifest.gaps) paths.insert(gap.out_path());
  return paths;
}

}  // namespace

void compare_with_sources(const ScannedTree& tree, const Catalog& catalog, source::ObjectSource& source, int jobs,
                          Console& console, std::vector<Difference>& differences) {
  std::optional<Plan> plan;
  try {
    plan = plan_again(tree.manifest, catalog);
  } catch (const Error&) {
    return;  // compare_with_catalog() told why
  }
  const PatchedTree made = make_again(*plan, tree.manifest, catalog, source, jobs, console);
  std::map<std::string_view, const tree::FileToWrite*> missing;
  for (const tree::FileToWrite& file : made.files) missing.emplace(file.path, &file);
  std::vector<Difference> found;
  for (const tree::ScannedEntry& entry : tree.scanned) {
    if (entry.type == tree::EntryType::directory || starts_with(entry.path, "torchpatch/")) continue;
    const auto expected = missing.find(entry.path);
    if (expected != missing.end()) {
      if (auto difference = compare_file(entry, *expected->second)) found.push_back(std::move(*difference));
      missing.erase(expected);
    } else if (tree.sums.contains(entry.path) || entry.type == tree::EntryType::link) {
      found.push_back({entry.path, "extra", "is in no pinned commit of the plan, and no fix adds it"});
    }
  }
  const std::set<std::string> gaps = missing_paths(tree.manifest);
  for (const auto& [path, file] : missing)
    if (!gaps.contains(std::string(path)))
      found.push_back({std::string(path), "missing", "the pinned sources have it"});
  std::set<std::string> told;
  for (const Difference& each : differences)
    if (is_about_path(each)) told.insert(each.path);
  for (Difference& each : found)
    if (!told.contains(each.path)) differences.push_back(std::move(each));
}

}  // namespace torchpatch::trees
