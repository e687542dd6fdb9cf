// SPDX-License-Identifier: BSD-3-Clause
/// Recipes: what takes a prepared tree to its wheels, and what the command reports of one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

/// Where the build runs: on this machine, in a root of the board's system, with a cross compiler, in a container.
enum class RecipeKind { native, chroot, sysroot, container };
template <>
inline constexpr auto kNamesOf<RecipeKind> = std::to_array<Named<RecipeKind>>({{RecipeKind::native, "native"},
                                                                               {RecipeKind::chroot, "chroot"},
                                                                               {RecipeKind::sysroot, "sysroot"},
                                                                               {RecipeKind::container, "container"}});

/// What recipe wrote or compared.
struct RecipeReport {
  std::string directory;  ///< as given
  std::size_t files = 0;
  bool is_written = false;             ///< else compared
  std::vector<std::string> different;  ///< names of files that are not what would be written
};
FIELDS(RecipeReport, ("schema", SchemaVersion{}), directory, files, ("written", self.is_written), different)

}  // namespace torchpatch
