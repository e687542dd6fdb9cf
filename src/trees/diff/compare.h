// SPDX-License-Identifier: BSD-3-Clause
/// The comparisons that diff is made of; each returns its differences in the order of the report (internal).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "model/diff.h"
#include "trees/diff/causes.h"
#include "trees/diff/diff.h"

namespace torchpatch::trees {

using DiffEntries = std::vector<DiffEntry>;

/// What one side has of a thing, and what the other has; null = nothing.
template <typename Value>
struct Sides {
  const Value* a = nullptr;
  const Value* b = nullptr;
  /// Returns "only_in_a", "only_in_b" or "changed".
  const char* change() const { return !b ? "only_in_a" : !a ? "only_in_b" : "changed"; }
};

/// Pairs what two lists have under one key.
template <typename Values, typename Key>
auto pair_up(const Values& a, const Values& b, Key key) {
  using Value = typename Values::value_type;
  std::map<std::remove_cvref_t<std::invoke_result_t<Key, const Value&>>, Sides<Value>> pairs;
  for (const Value& value : a) pairs[std::invoke(key, value)].a = &value;
  for (const Value& value : b) pairs[std::invoke(key, value)].b = &value;
  return pairs;
}

/// Release, board, image, target, options and tool version; then the catalog's entries that both used.
DiffEntries compare_request(const DiffInput& a, const DiffInput& b, const Causes& causes);

/// Commits of repositories, and overrides. Of a plan only the components' commits are known.
DiffEntries compare_pins(const DiffInput& a, const DiffInput& b, const Causes& causes);

/// Patches and their order, added files, and the blobs that patches make.
DiffEntries compare_patches(const DiffInput& a, const DiffInput& b, const Causes& causes);

/// Variables of the build, bounds of tools, decisions about issues, and warnings.
DiffEntries compare_settings(const DiffInput& a, const DiffInput& b, const Causes& causes);

/// What lies on disk, where there is a tree; else links and executables, where there are manifests. Files that differ
/// because their repository is at another commit are one entry a repository, unless `list_all`.
DiffEntries compare_files(const DiffInput& a, const DiffInput& b, const Causes& causes, bool list_all);

}  // namespace torchpatch::trees
