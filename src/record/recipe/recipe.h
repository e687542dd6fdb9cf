// SPDX-License-Identifier: BSD-3-Clause
/// Recipes: scripts that take a prepared tree to its wheels, on this machine, in a root of the board's system, with a
/// cross compiler, or in a container. The same bytes for the same tree wherever they are written; they run as root, so
/// each carries the digests of what it may build.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/manifest.h"
#include "support/names.h"

namespace torchpatch::record {

enum class RecipeKind { native, chroot, sysroot, container };

}  // namespace torchpatch::record

namespace torchpatch {

template <>
inline constexpr auto kNamesOf<record::RecipeKind> =
    std::to_array<Named<record::RecipeKind>>({{record::RecipeKind::native, "native"},
                                              {record::RecipeKind::chroot, "chroot"},
                                              {record::RecipeKind::sysroot, "sysroot"},
                                              {record::RecipeKind::container, "container"}});

}  // namespace torchpatch

namespace torchpatch::record {

/// A system whose packages a recipe takes: what debootstrap and apt call it.
struct System {
  std::string_view os;            ///< as images name it: "ubuntu-18.04"
  std::string_view distribution;  ///< "debian" or "ubuntu"; Raspberry Pi OS is taken for the Debian that it is made of
  std::string_view suite;         ///< "bionic"
  std::string_view python;        ///< the minor version that its package python3 brings
  std::string_view openblas;      ///< the package of the library that programs load
  bool has_typing_extensions;     ///< as a package of Python
};

/// Returns the system, or null where nothing is known of its packages.
const System* find_system(std::string_view os);

/// recipe.json: what the recipe was written for.
struct RecipeRecord {
  RecipeKind kind = RecipeKind::native;
  std::string release, board, image;
  std::string system;              ///< whose packages it takes: the image's, or what stands in for it
  Sha256 plan;                     ///< digest
  std::optional<Sha256> manifest;  ///< digest of the tree's manifest.json; absent where the recipe prepares it
};

/// Returns the record of the recipe whose recipe.json has these bytes. Raises data where it is malformed.
RecipeRecord parse_recipe(std::string_view bytes, const std::string& file);

struct RecipeInput {
  RecipeKind kind = RecipeKind::native;
  std::string system;                  ///< --root: stands in for the image's; empty = the image's own
  const Manifest* manifest = nullptr;  ///< of the prepared tree, or of a plan
  /// Of manifest.json and SHA256SUMS of the tree. Absent: the recipe prepares it.
  std::optional<Sha256> manifest_digest, sums_digest;
};

struct RecipeFile {
  std::string name;  ///< relative to the recipe's directory
  std::string bytes;
  bool is_executable = false;
};

/// Returns the files of a recipe, by name. Raises usage: a system or architecture that is not known; a cross build with
/// a Python that is not the one of its system.
std::vector<RecipeFile> recipe_files(const RecipeInput& input);

/// Returns what its scripts are told, as assignments: the digests of the tree, its system, the packages that are
/// installed. All else in them is the same in every recipe of the kind. Raises as recipe_files does.
std::vector<std::string> recipe_facts(const RecipeInput& input);

// The texts that recipes are made of, as embedded by cmake/embed.cmake.

extern const std::string_view kCommonScript;
extern const std::string_view kRootsScript;
extern const std::string_view kMainScript;
extern const std::string_view kNativeScript;
extern const std::string_view kChrootScript;
extern const std::string_view kSysrootScript;
extern const std::string_view kCrossScript;
extern const std::string_view kCmakeScript;
extern const std::string_view kToolchain;
extern const std::string_view kSitecustomize;
extern const std::string_view kContainerScript;
extern const std::string_view kContainerfile;

}  // namespace torchpatch::record
