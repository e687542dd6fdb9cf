// SPDX-License-Identifier: BSD-3-Clause
/// The manifest of a tree: made at once of the plan, the catalog, and what sources and files tell. prepare writes it,
/// verify makes it again, diff makes it of a plan alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/manifest.h"
#include "model/plan.h"
#include "tree/write_files.h"
#include "trees/prepare/patched_tree.h"

namespace torchpatch::trees {

/// Returns the manifest of a plan. Of `known` come what sources and files alone tell: pins, licences, gaps, trees,
/// time, counts, executables, links, side files, --allow-uncertified, and the edges of each patch as it was applied; of
/// a patch that it does not have, the edges are the certified ones. All else is what plan and catalog say.
Manifest make_manifest(const Plan& plan, const Catalog& catalog, Manifest known);

/// What was written, and of what.
struct WrittenTree {
  std::string root;  ///< of OUT
  const source::Closure& closure;
  const PatchedTree& patched;
  std::vector<tree::WrittenFile> files;  ///< of patched.files
};

/// Returns what pins, sources and written files tell of a tree, and nothing else.
Manifest found_in(const WrittenTree& tree);

/// Returns `manifest` with what such a finding tells put in: the same one where it says the truth of pins, trees, time,
/// counts, gaps, executables, links, licences, and the edges of patches.
Manifest with_found(Manifest manifest, Manifest found);

/// A regular file of OUT.
struct OutFile {
  std::string_view path;
  ObjectId blob;
  std::uint64_t size = 0;
};

/// Returns the licence files at the root of each of `repositories`, by name, and what they state; `files` are those of
/// OUT, which is at `root`. Raises environment where one cannot be read.
std::vector<std::vector<LicenceFile>> find_licences(const std::string& root,
                                                    const std::vector<ManifestRepository>& repositories,
                                                    const std::vector<OutFile>& files);

}  // namespace torchpatch::trees
