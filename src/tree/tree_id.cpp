// SPDX-License-Identifier: BSD-3-Clause
#include "tree/tree_id.h"

#include <algorithm>
#include <span>

#include "git/object.h"
#include "support/digest.h"
#include "tree/scan.h"

namespace torchpatch::tree {
namespace {

/// Returns how many of `leaves`, from the first on, lie below the directory whose path is the first `length` bytes of
/// the first one.
std::size_t count_below(std::span<const Leaf> leaves, std::size_t length) {
  const std::string_view directory = std::string_view(leaves.front().path).substr(0, length + 1);
  const auto end =
      std::find_if(leaves.begin(), leaves.end(), [&](const Leaf& leaf) { return !leaf.path.starts_with(directory); });
  return static_cast<std::size_t>(end - leaves.begin());
}

/// `leaves` stand in the order of a walk and share the first `prefix` bytes of their paths.
ObjectId subtree_id(std::span<const Leaf> leaves, std::size_t prefix) {
  std::vector<git::TreeEntry> entries;
  while (!leaves.empty()) {
    const Leaf& leaf = leaves.front();
    const std::size_t slash = leaf.path.find('/', prefix);
    if (slash == std::string::npos) {
      entries.push_back({file_mode_text(leaf.mode), leaf.path.substr(prefix), leaf.id});
      leaves = leaves.subspan(1);
      continue;
    }
    const std::size_t count = count_below(leaves, slash);
    entries.push_back({file_mode_text(FileMode::directory), leaf.path.substr(prefix, slash - prefix),
                       subtree_id(leaves.first(count), slash + 1)});
    leaves = leaves.subspan(count);
  }
  return git_object_id("tree", git::format_tree(std::move(entries)));
}

}  // namespace

ObjectId tree_id(std::vector<Leaf> leaves) {
  std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) { return walks_before(a.path, b.path); });
  std::vector<std::string_view> paths;
  for (const Leaf& leaf : leaves) paths.push_back(leaf.path);
  require_disjoint(paths);
  return subtree_id(leaves, 0);
}

}  // namespace torchpatch::tree
