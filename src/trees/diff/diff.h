// SPDX-License-Identifier: BSD-3-Clause
/// diff(): what two prepared trees, manifests or plans do not have in common. It is made of comparisons (compare_pins
/// and the others) and of Causes, which knows what explains a difference: an issue, a pin, an option or an entry of the
/// catalog.
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

/// Files on disk, and where they are not what their own manifest says.
struct DiffFiles {
  std::vector<tree::ScannedEntry> entries;  ///< sorted by path
  std::vector<Difference> differences;      ///< from the tree's own manifest, extras included
};

struct DiffInput {
  std::string name;  ///< as the user wrote it
  std::string kind;  ///< "tree", "manifest" or "plan"
  /// Of a plan: without what only sources tell, which is submodules, trees, links and modes. Its repositories are those
  /// of the components, and overridden submodules.
  Manifest manifest;
  std::optional<DiffFiles> files{};  ///< of a tree

  bool has_sources() const { return kind != "plan"; }
};

/// Reads a prepared tree, every file of it, and verifies it against the catalog that `load` returns; raises as
/// verify().
DiffInput diff_input_of_tree(const std::string& root, const LoadCatalog& load, int jobs, Console& console);

/// Reads a manifest.json, wherever it lies. Raises as parse_manifest does; environment where it cannot be read.
DiffInput diff_input_of_manifest(const std::string& path);

/// Takes a plan; no sources are read.
DiffInput diff_input_of_plan(const std::string& name, const Plan& plan, const Catalog& catalog);

/// Compares as far as both sides know. A tree is compared with its own manifest, too: what is not as that says, nothing
/// explains. What nothing explains stands first. Equal manifests are equal wherever they lie.
/// `list_files`: each file that differs because its repository is at another commit; else one line for each repository.
DiffReport diff(const DiffInput& a, const DiffInput& b, bool list_files = false);

using DiffEntries = std::vector<DiffEntry>;

/// What explains a difference; nothing if `because` is empty.
struct Cause {
  std::vector<std::string> issues{}, patchsets{};
  std::string because{};

  explicit operator bool() const { return !because.empty(); }
  /// Adds another one, each issue and patchset once.
  void add(const Cause& other);
};

/// Puts `cause` into an entry.
DiffEntry explained(DiffEntry entry, const Cause& cause);

/// A file that patches change.
struct PatchedFile {
  RepositoryPath repository;
  std::optional<ObjectId> before, after;      ///< the pinned blob and the last one
  std::vector<const ManifestPatch*> patches;  ///< in order; owned by the manifest
};

/// By path in OUT.
using PatchedFiles = std::map<std::string, PatchedFile>;
PatchedFiles patched_files(const Manifest& manifest);

/// What of two sides explains a difference between them.
class Causes {
 public:
  Causes(const DiffInput& a, const DiffInput& b);

  /// What was asked for, or the catalog, or torchpatch itself differs: so may anything that follows from them.
  Cause of_premises() const;
  /// An entry of the catalog ("patchset nccl-default") has another digest on each side.
  Cause of_entry(const std::string& entry) const;
  /// The sides decided differently about an issue.
  Cause of_issue(const std::string& issue) const;
  /// A fix that answers `issues` does something else on each side.
  Cause of_fix(const std::vector<std::string>& issues, const std::string& patchset, const std::string& variant,
               Component component) const;
  /// A repository is at another commit on each side, or in one alone: the override, the release, or the repository
  /// around it whose commit names another one.
  Cause of_repository(const RepositoryPath& path) const;
  /// A variable of the build is set by `origin` ("issue quiet", "board tx2", "--set") in another way on each side.
  Cause of_origin(const std::string& origin) const;
  /// Patches make something else of a file on each side; null: no patch touches it there.
  Cause of_patched_file(const PatchedFile* a, const PatchedFile* b) const;
  /// A path of OUT differs, though on each side it is what the manifest says.
  Cause of_path(const std::string& path) const;

  /// Returns whether a repository is at another commit on each side, or in one alone.
  bool is_repinned(const RepositoryPath& path) const;
  /// Returns the repository whose files lie at a path of OUT, or null: none's.
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

/// Returns the entry of `paths` at a path or a directory above it, or its end.
template <typename Paths>
auto find_at_or_above(const Paths& paths, std::string path) {
  for (;;) {
    const auto found = paths.find(path);
    const std::size_t slash = path.rfind('/');
    if (found != paths.end() || slash == std::string::npos) return found;
    path.resize(slash);
  }
}

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

// The comparisons; each returns its differences in the order of the report.

/// Release, board, image, target, options and tool version; then the catalog's entries that both used.
DiffEntries compare_request(const DiffInput& a, const DiffInput& b, const Causes& causes);

/// Commits of repositories, and overrides. Of a plan only the components' commits are known.
DiffEntries compare_pins(const DiffInput& a, const DiffInput& b, const Causes& causes);

/// Patches and their order, added files, and the blobs that patches make.
DiffEntries compare_patches(const DiffInput& a, const DiffInput& b, const Causes& causes);

/// Variables of the build, bounds of tools, decisions about issues, and warnings.
DiffEntries compare_settings(const DiffInput& a, const DiffInput& b, const Causes& causes);

}  // namespace torchpatch::trees
