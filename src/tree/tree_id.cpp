// SPDX-License-Identifier: BSD-3-Clause
#include "tree/tree_id.h"

#include <algorithm>
#include <functional>
#include <span>

#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::tree {
namespace {

/// A tree object's bytes, made from entries in git's order.
class TreeBytes {
 public:
  void add(FileMode mode, std::string_view name, const ObjectId& id) {
    bytes_.append(name_of(mode)).append(1, ' ').append(name).append(1, '\0').append(id.view());
  }
  ObjectId id() const { return git_object_id("tree", bytes_); }

 private:
  std::string bytes_;
};

/// Raises unsafe where one of the leaves before `below`, in the same directory, has the name of the directory it is in.
void require_no_leaf(std::span<const Leaf> before, const Leaf& below, std::string_view directory) {
  for (auto leaf = before.rbegin(); leaf != before.rend() && leaf->path.starts_with(directory); ++leaf) {
    if (leaf->path.size() != directory.size()) continue;  // "a-b", of those that stand between "a" and "a/c"
    throw Error(ErrorKind::unsafe,
                concat("path ", quote(directory), " is a file and, by ", quote(below.path), ", a directory"));
  }
}

/// Walks leaves in the bytewise order of their paths: what lies below a directory stands together there, and the
/// entries of each tree come in git's order, which takes a directory's name with its slash.
class Walk {
 public:
  explicit Walk(std::span<const Leaf> leaves) : leaves_(leaves) {}

  /// Goes on behind what lies below `directory` (with its slash; empty: the top) and returns the id of its tree. Tells
  /// each directory right in it, and that one's id.
  ObjectId pass(std::string_view directory, const std::function<void(std::string_view, const ObjectId&)>& tell = {}) {
    TreeBytes tree;
    while (next_ < leaves_.size() && leaves_[next_].path.starts_with(directory)) {
      const Leaf& leaf = leaves_[next_];
      const std::size_t slash = leaf.path.find('/', directory.size());
      const std::string_view name = leaf.path.substr(directory.size(), slash - directory.size());
      if (slash == std::string_view::npos) {
        tree.add(leaf.mode, name, leaf.id);
        ++next_;
        continue;
      }
      require_no_leaf(leaves_.first(next_), leaf, leaf.path.substr(0, slash));
      const ObjectId id = pass(leaf.path.substr(0, slash + 1));
      tree.add(FileMode::directory, name, id);
      if (tell) tell(name, id);
    }
    return tree.id();
  }

 private:
  std::span<const Leaf> leaves_;
  std::size_t next_ = 0;
};

}  // namespace

TreeIds tree_ids(std::vector<Leaf> leaves) {
  if (!std::ranges::is_sorted(leaves, {}, &Leaf::path)) std::ranges::sort(leaves, {}, &Leaf::path);
  const auto twice = std::ranges::adjacent_find(leaves, {}, &Leaf::path);
  if (twice != leaves.end()) throw Error(ErrorKind::unsafe, concat("path ", quote(twice->path), " stands twice"));
  TreeIds ids;
  ids.tree =
      Walk(leaves).pass("", [&](std::string_view name, const ObjectId& id) { ids.directories.emplace(name, id); });
  return ids;
}

}  // namespace torchpatch::tree
