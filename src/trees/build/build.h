// SPDX-License-Identifier: BSD-3-Clause
/// The steps of `build` from a plan to its wheels: choosing the recipe for a host (choose_recipe), what the host lacks
/// for it (missing_for), and running its run.sh (run_recipe).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalog.h"
#include "model/doctor.h"
#include "model/matrix.h"
#include "model/plan.h"
#include "record/recipe/recipe.h"
#include "support/console.h"
#include "trees/doctor/doctor.h"

namespace torchpatch::trees {

/// The facts that determine the recipe.
struct RecipeChoice {
  std::string host_arch, board_arch;
  bool is_root = false;
  bool has_system = false;       ///< the host runs the system of the board's image
  bool has_engine = false;       ///< buildah, podman or docker is in PATH
  bool needs_native = false;     ///< record::needs_native()
  bool can_cross_build = false;  ///< record::can_cross_build()
};

/// Returns the recipe to use: native on the image's system, and if no other can build it; on another system of the
/// board's architecture chroot, or container without root; elsewhere sysroot, or chroot (emulated) if no cross compiler
/// is suitable.
RecipeKind choose_recipe(const RecipeChoice& from);

/// Returns the recorded build to estimate from: by this recipe, else by `native`; nothing if there is none.
std::optional<BuildGuide> guide_for(const BuildSizes& sizes, const Plan& plan, RecipeKind recipe);

/// A build on this host.
struct BuildSite {
  const Catalog& catalog;
  const Plan& plan;
  const record::RecipeInput& recipe;  ///< for the plan: without digests of a tree
  const HostFacts& host;
  std::string work;                ///< directory for run.sh to work in
  std::vector<std::string> words;  ///< additional arguments for run.sh
  const std::map<std::string, std::string>& variables;
  bool is_begun = false;  ///< its disk space is already in use
};

/// Returns everything this host lacks, one text each: the findings of run.sh --check, memory, disk and, for a native
/// build, doctor's failures. Checks in `words` with --skip are left out. Writes only to a private temporary directory.
/// Raises usage for arguments that run.sh refuses, and as record::recipe_files.
std::vector<std::string> missing_for(const BuildSite& site);

/// How run.sh ended.
struct RecipeRun {
  int exit_code = 0;
  std::string error;            ///< the last error printed by a script, or empty
  std::uint64_t log_begin = 0;  ///< offset of this run in the log
};

/// Names in a build directory.
inline constexpr const char* kTreeName = "tree";
inline constexpr const char* kRecipeName = "recipe";
inline constexpr const char* kWorkName = "work";
inline constexpr const char* kLogName = "build.log";

/// Runs recipe/run.sh in a build directory and appends its output to build.log. Its own lines become status, steps of
/// ninja or make become progress. Raises environment if the log cannot be written; Interrupted, after giving run.sh
/// time to clean up.
RecipeRun run_recipe(const std::string& directory, const std::vector<std::string>& words,
                     const std::map<std::string, std::string>& variables, Console& console);

/// A step of ninja ("[12/345] …") or make ("[ 45%] …").
struct CompileStep {
  std::uint64_t done = 0, total = 0;
};
/// Returns the step at the beginning of a log line, or nothing.
std::optional<CompileStep> step_of(std::string_view line);

}  // namespace torchpatch::trees
