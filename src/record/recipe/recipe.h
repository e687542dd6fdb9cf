// SPDX-License-Identifier: BSD-3-Clause
/// Recipes: scripts that build a prepared tree's wheels on this machine, in a chroot with the board's system, with a
/// cross compiler, or in a container. Equal trees give equal bytes wherever they are written; they run as root, so each
/// contains the digests of what it may build.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/manifest.h"
#include "model/matrix.h"
#include "record/tree_scripts.h"
#include "support/json_fields.h"

namespace torchpatch::record {

/// recipe.json: what the recipe was written for.
struct RecipeRecord {
  RecipeKind kind = RecipeKind::native;
  std::string release, board, image;
  std::string system;               ///< whose packages it installs: the image's, or its stand-in
  std::optional<std::string> cuda;  ///< --cuda: source of CUDA packages, such as "debian-11.2"
  Sha256 plan;                      ///< digest
  std::optional<Sha256> manifest;   ///< digest of the tree's manifest.json; absent if the recipe prepares the tree
};
FIELDS(RecipeRecord, ("schema", SchemaVersion{}), kind, release, board, image, system, ("cuda", self.cuda, kOptional),
       plan, ("manifest", self.manifest, kOptional))

/// Parses a recipe.json. Raises data if it is malformed.
RecipeRecord parse_recipe(std::string_view bytes, const std::string& file);

struct RecipeInput {
  RecipeKind kind = RecipeKind::native;
  std::string system;                  ///< --root: replaces the image's system; empty = the image's
  std::optional<std::string> cuda{};   ///< --cuda
  const Manifest* manifest = nullptr;  ///< of the prepared tree, or of a plan
  /// Of the tree's manifest.json and SHA256SUMS. Absent: the recipe prepares the tree.
  std::optional<Sha256> manifest_digest, sums_digest;
  std::int64_t disk_mib = 0;  ///< needed with the tree; 0: unknown
};

/// Returns the tag of the Arm Compute Library to build for a release of torch; empty: unknown.
std::string acl_tag(const Version& release);

/// Returns the values of --cuda.
std::vector<std::string> cuda_toolkits();

/// Returns the files of a recipe, by name. Raises usage: an unknown system or architecture; a cross build with a Python
/// other than its system's, or with another CUDA than the plan's.
std::vector<GeneratedFile> recipe_files(const RecipeInput& input);

/// Returns the names of files that a recipe of this kind may have.
std::vector<std::string> recipe_names(RecipeKind kind);

/// Returns whether torch is planned with CUDA: for a GPU, and not disabled by a variable.
bool plans_cuda(const Manifest& manifest);

/// Returns whether only the native recipe can build it: no other installs the board's CUDA, or scikit-build-core.
bool needs_native(const Manifest& manifest);

/// Returns whether a cross compiler of a known system can build a manifest's tree: it has a sysroot recipe without
/// --cuda.
bool can_cross_build(const Manifest& manifest);

/// Returns the variable part of its scripts, as assignments: the digests of the tree, its system, the packages to
/// install. Everything else is equal in all recipes of the kind. Raises as recipe_files.
std::vector<std::string> recipe_facts(const RecipeInput& input);

}  // namespace torchpatch::record
