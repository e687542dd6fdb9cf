// SPDX-License-Identifier: BSD-3-Clause
/// diff: what two prepared trees, manifests or plans do not have in common, and which issue, pin or option explains it.
#pragma once

#include <optional>
#include <string>

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

}  // namespace torchpatch::trees
