// SPDX-License-Identifier: BSD-3-Clause
/// diff(): the differences between two prepared trees, manifests or plans. Consists of comparisons (compare_pins and
/// others) and of Causes, which explains a difference by an issue, a pin, an option or an entry of the catalog.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "model/catalog.h"
#include "model/differences.h"
#include "model/manifest.h"
#include "support/console.h"
#include "trees/verify/verify.h"

namespace torchpatch::trees {

/// Files on disk, and their differences from their own manifest.
struct DiffFiles {
  std::vector<tree::ScannedEntry> entries;  ///< sorted by path
  std::vector<Difference> differences;      ///< from the tree's own manifest, including extra files
};

struct DiffInput {
  std::string name;  ///< as the user wrote it
  std::string kind;  ///< "tree", "manifest" or "plan"
  /// For a plan: without what requires sources, i.e. submodules, trees, links and modes. Its repositories are those of
  /// the components, and overridden submodules.
  Manifest manifest;
  std::optional<DiffFiles> files{};  ///< of a tree

  bool has_sources() const { return kind != "plan"; }
};

/// Reads a prepared tree, with every file, and verifies it against the catalog from `load`; raises as verify().
DiffInput diff_input_of_tree(const std::string& root, const LoadCatalog& load, int jobs, Console& console);

/// Reads a manifest.json at any path. Raises as parse_manifest; environment if it cannot be read.
DiffInput diff_input_of_manifest(const std::string& path);

/// Converts a plan, without reading sources.
DiffInput diff_input_of_plan(const std::string& name, const Plan& plan, const Catalog& catalog);

/// Compares as far as both sides are known. Trees are also compared with their own manifests; those differences are
/// unexplained. Unexplained differences come first. Paths of manifests do not matter. `list_files`: lists each file
/// that differs because its repository is at another commit, instead of one line per repository.
DiffReport diff(const DiffInput& a, const DiffInput& b, bool list_files = false);

using DiffEntries = std::vector<DiffEntry>;

/// The explanation of a difference; nothing if `because` is empty.
struct Cause {
  std::vector<std::string> issues{}, patchsets{};
  std::string because{};

  explicit operator bool() const { return !because.empty(); }
  /// Adds another cause, without duplicate issues and patchsets.
  void add(const Cause& other);
};

/// Returns the entry with `cause` set.
DiffEntry explained(DiffEntry entry, const Cause& cause);

/// A file changed by patches.
struct PatchedFile {
  RepositoryPath repository;
  std::optional<ObjectId> before, after;      ///< the pinned blob and the last one
  std::vector<const ManifestPatch*> patches;  ///< in order; owned by the manifest
};

/// By path in OUT.
using PatchedFiles = std::map<std::string, PatchedFile>;
PatchedFiles patched_files(const Manifest& manifest);

/// Explains differences between two sides. Each of_…() returns the cause for one kind.
class Causes {
 public:
  Causes(const DiffInput& a, const DiffInput& b);

  /// The request, the catalog, or torchpatch itself differs, and so may everything that follows from them.
  Cause of_premises() const;
  /// An entry of the catalog ("patchset nccl-default") has different digests.
  Cause of_entry(const std::string& entry) const;
  /// The decisions on an issue differ.
  Cause of_issue(const std::string& issue) const;
  /// A fix for `issues` differs between the sides.
  Cause of_fix(const std::vector<std::string>& issues, const std::string& patchset, const std::string& variant,
               Component component) const;
  /// A repository is at different commits, or on one side only: because of an override, the release, or the parent
  /// repository's commit.
  Cause of_repository(const RepositoryPath& path) const;
  /// A build variable is set by `origin` ("issue quiet", "board tx2", "--set") differently.
  Cause of_origin(const std::string& origin) const;
  /// Patches change a file differently; null: no patch touches it on that side.
  Cause of_patched_file(const PatchedFile* a, const PatchedFile* b) const;
  /// A path of OUT differs, although it matches the manifest on each side.
  Cause of_path(const std::string& path) const;

  /// Returns whether a repository is at different commits, or on one side only.
  bool is_repinned(const RepositoryPath& path) const;
  /// Returns the repository that contains a path of OUT, or null.
  const RepositoryPath* owner(const std::string& path) const;

 private:
  struct Side {
    explicit Side(const Manifest& of);
    const ManifestRepository* repository(const RepositoryPath& path) const;

    const Manifest& manifest;
    std::map<RepositoryPath, const ManifestRepository*> repositories;
    PatchedFiles patched;
    std::map<std::string, const ManifestAddedFile*> added;  ///< by path in OUT
  };
  Cause of_override(const RepositoryPath& path) const;
  Cause of_component(Component component) const;

  Side a_, b_;
  bool premises_differ_, manifests_differ_;
  std::map<std::string, RepositoryPath> directories_;  ///< of repositories, in OUT
};

/// Returns the entry of `paths` for a path or the nearest directory above it, or the end.
template <typename Paths>
auto find_at_or_above(const Paths& paths, std::string path) {
  for (;;) {
    const auto found = paths.find(path);
    const std::size_t slash = path.rfind('/');
    if (found != paths.end() || slash == std::string::npos) return found;
    path.resize(slash);
  }
}

/// Each side's value; null = nothing.
template <typename Value>
struct Sides {
  const Value* a = nullptr;
  const Value* b = nullptr;
  /// Returns "only_in_a", "only_in_b" or "changed".
  const char* change() const { return !b ? "only_in_a" : !a ? "only_in_b" : "changed"; }
};

/// Pairs the values of two lists by key.
template <typename Values, typename Key>
auto pair_up(const Values& a, const Values& b, Key key) {
  using Value = typename Values::value_type;
  std::map<std::remove_cvref_t<std::invoke_result_t<Key, const Value&>>, Sides<Value>> pairs;
  for (const Value& value : a) pairs[std::invoke(key, value)].a = &value;
  for (const Value& value : b) pairs[std::invoke(key, value)].b = &value;
  return pairs;
}

// The comparisons; each returns its differences in report order.

/// Release, board, image, target, options and tool version; then catalog entries that both used.
DiffEntries compare_request(const DiffInput& a, const DiffInput& b, const Causes& causes);

/// Commits of repositories, and overrides. For a plan only the components' commits are known.
DiffEntries compare_pins(const DiffInput& a, const DiffInput& b, const Causes& causes);

/// Patches and their order, added files, and the resulting blobs.
DiffEntries compare_patches(const DiffInput& a, const DiffInput& b, const Causes& causes);

/// Build variables, bounds on tools, decisions on issues, and warnings.
DiffEntries compare_settings(const DiffInput& a, const DiffInput& b, const Causes& causes);

}  // namespace torchpatch::trees
