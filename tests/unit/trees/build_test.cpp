// SPDX-License-Identifier: BSD-3-Clause
#include "trees/build/build.h"

#include "support/catch.h"

namespace torchpatch::trees {
namespace {

TEST_CASE("choose_recipe: by host, board, root and image") {
  const bool root = true, user = false, same_system = true, other_system = false;
  struct Row {
    const char *host, *board;
    bool is_root, has_system, has_engine, needs_native, can_cross_build;
    RecipeKind kind;
  };
  const Row rows[] = {
      // The board itself, or a server with its system.
      {"aarch64", "aarch64", user, same_system, false, false, false, RecipeKind::native},
      {"aarch64", "aarch64", root, same_system, true, false, true, RecipeKind::native},
      {"armv7l", "armv7l", user, same_system, false, false, false, RecipeKind::native},
      // A server of the board's architecture with another system.
      {"aarch64", "aarch64", root, other_system, true, false, true, RecipeKind::chroot},
      {"aarch64", "aarch64", user, other_system, true, false, true, RecipeKind::container},
      {"aarch64", "aarch64", user, other_system, false, false, true, RecipeKind::chroot},  // and root is missing
      // A PC.
      {"x86_64", "aarch64", root, other_system, true, false, true, RecipeKind::sysroot},
      {"x86_64", "aarch64", user, other_system, true, false, true, RecipeKind::sysroot},
      {"x86_64", "aarch64", root, other_system, false, false, false, RecipeKind::chroot},
      {"x86_64", "armv7l", root, other_system, false, false, true, RecipeKind::sysroot},
      {"x86_64", "armv7l", root, same_system, false, false, true, RecipeKind::sysroot},
      // A 64-bit host for a 32-bit board compiles with a cross compiler, too.
      {"aarch64", "armv7l", root, other_system, false, false, true, RecipeKind::sysroot},
      // No other recipe installs the board's CUDA, or scikit-build-core.
      {"x86_64", "aarch64", root, other_system, true, true, false, RecipeKind::native},
      {"aarch64", "aarch64", root, other_system, true, true, false, RecipeKind::native},
      {"aarch64", "aarch64", user, same_system, false, true, false, RecipeKind::native},
  };
  for (const Row& row : rows) {
    CAPTURE(row.host, row.board, row.is_root, row.has_system, row.has_engine, row.needs_native, row.can_cross_build);
    CHECK(choose_recipe({row.host, row.board, row.is_root, row.has_system, row.has_engine, row.needs_native,
                         row.can_cross_build}) == row.kind);
  }
}

TEST_CASE("step_of: steps of ninja and make, and nothing else") {
  const auto text = [](const char* line) {
    const std::optional<CompileStep> step = step_of(line);
    return step ? std::to_string(step->done) + "/" + std::to_string(step->total) : std::string("none");
  };
  CHECK(text("[12/3456] Building CXX object c10/CMakeFiles/c10.dir/core/Device.cpp.o") == "12/3456");
  CHECK(text("[3/3] Linking") == "3/3");
  CHECK(text("[  7%] Building C object") == "7/100");
  CHECK(text("[100%] Built target") == "100/100");
  for (const char* line : {"", "[", "[]", "[1/2]", "[4/3] more than all", "[a/b] x", "[1/] x", "[/2] x", "[%] x",
                           "[101%] x", "[info] x", " [1/2] x", "[99999999999999999999/1] x", "[-1/2] x"}) {
    CAPTURE(line);
    CHECK(text(line) == "none");
  }
}

}  // namespace
}  // namespace torchpatch::trees
