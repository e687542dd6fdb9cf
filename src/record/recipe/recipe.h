// SPDX-License-Identifier: BSD-3-Clause
/// Recipes: scripts that take a prepared tree to its wheels, on this machine, in a root of the board's system, with a
/// cross compiler, or in a container. The same bytes for the same tree wherever they are written; they run as root, so
/// each carries the digests of what it may build.
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
  std::string system;               ///< whose packages it takes: the image's, or what stands in for it
  std::optional<std::string> cuda;  ///< --cuda: which packages CUDA comes from, such as "debian-11.2"
  Sha256 plan;                      ///< digest
  std::optional<Sha256> manifest;   ///< digest of the tree's manifest.json; absent where the recipe prepares it
};
FIELDS(RecipeRecord, ("schema", SchemaVersion{}), kind, release, board, image, system, ("cuda", self.cuda, kOptional),
       plan, ("manifest", self.manifest, kOptional))

/// Returns the record of the recipe whose recipe.json has these bytes. Raises data where it is malformed.
RecipeRecord parse_recipe(std::string_view bytes, const std::string& file);

struct RecipeInput {
  RecipeKind kind = RecipeKind::native;
  std::string system;                  ///< --root: stands in for the image's; empty = the image's own
  std::optional<std::string> cuda{};   ///< --cuda
  const Manifest* manifest = nullptr;  ///< of the prepared tree, or of a plan
  /// Of manifest.json and SHA256SUMS of the tree. Absent: the recipe prepares it.
  std::optional<Sha256> manifest_digest, sums_digest;
  std::int64_t disk_mib = 0;  ///< what it takes with the tree; 0: not known
};

/// Returns the tag of the Arm Compute Library to build for a release of torch; empty: not known.
std::string acl_tag(const Version& release);

/// Returns what --cuda may name.
std::vector<std::string> cuda_toolkits();

/// Returns the files of a recipe, by name. Raises usage: a system or architecture that is not known; a cross build with
/// a Python that is not the one of its system, or with another CUDA than the plan's.
std::vector<GeneratedFile> recipe_files(const RecipeInput& input);

/// Returns the names of the files that a recipe of this kind may have.
std::vector<std::string> recipe_names(RecipeKind kind);

/// Returns whether torch is planned with CUDA: for a GPU, and no variable leaves it out.
bool plans_cuda(const Manifest& manifest);

/// Returns whether only the native recipe builds it: no other installs the board's CUDA, or scikit-build-core.
bool needs_native(const Manifest& manifest);

/// Returns whether a cross compiler of a known system builds what a manifest describes: there is a sysroot recipe for
/// it without --cuda.
bool can_cross_build(const Manifest& manifest);

/// Returns what its scripts are told, as assignments: the digests of the tree, its system, the packages that are
/// installed. All else in them is the same in every recipe of the kind. Raises as recipe_files does.
std::vector<std::string> recipe_facts(const RecipeInput& input);

}  // namespace torchpatch::record
