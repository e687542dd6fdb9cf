// SPDX-License-Identifier: BSD-3-Clause
/// doctor(): the checks that a host fails for building a release, with the related known issues. host_requirements()
/// returns the checks for a tree's scripts; read_host() and probe_host() examine a host.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/doctor.h"
#include "model/manifest.h"
#include "model/matrix.h"
#include "model/plan.h"
#include "plan/fix_choice.h"

namespace torchpatch::trees {

/// What to build.
struct DoctorTarget {
  std::string release;
  std::string board, image;  ///< board empty: the target is this host
  PlanOptions options;
  std::string python;                               ///< from a manifest; empty = any of the image
  std::map<std::string, VersionRange> tool_bounds;  ///< from a manifest
  bool is_manifest = false;                         ///< use its bounds instead of the release's
};

/// Returns the target of a prepared tree. Raises data for an invalid bound.
DoctorTarget target_of(const Manifest& manifest);

/// The recorded build (build_sizes.json) that best predicts another one, used by check.sh, doctor and the jobs of a
/// matrix to estimate its needs.
struct BuildGuide {
  const BuildSize* build = nullptr;  ///< owned by the catalog
  bool is_measured = false;          ///< measured, for the same release and architecture
  /// Factor for time and disk of a job, since machines differ; larger for estimates.
  std::int64_t margin() const { return is_measured ? 2 : 3; }
};

/// Returns the build by this recipe, preferably of the plan's architecture, whose release is the nearest before the
/// plan's, else the oldest; nothing if there is none.
std::optional<BuildGuide> guide_to(const BuildSizes& sizes, const Plan& plan, RecipeKind recipe);

/// Returns the disk space in MiB of a build with its tree, from the recorded build of the nearest release with any
/// recipe, or zero. Used by check.sh, doctor, `build` and README.md of recipes.
std::int64_t disk_for(const BuildSizes& sizes, const Version& release, const std::string& arch);
std::int64_t disk_for(const Catalog& catalog, const Manifest& manifest);

/// Returns whether a build with these facts compiles CUDA code: the board has a GPU, and CUDA is known to be installed.
bool builds_for_cuda(const Facts& facts);

/// Returns the Python packages whose versions doctor compares.
std::vector<std::string> packages_to_read(const Catalog& catalog, const DoctorTarget& target);

/// Returns how to install and use a series of gcc on Debian and Ubuntu.
std::string gcc_advice(int series);

/// Returns the variable with the compiler that builds of this release pass to nvcc, if CUDAHOSTCXX is not set: "CC", as
/// in FindCUDA.cmake, or "-": from 1.11 on, CMake's CUDA language leaves the choice to nvcc.
std::string nvcc_compiler_variable(const Release& release);

/// Returns pip's argument for a package: within `bound` (null: any), and no newer than `python`, such as "3.5",
/// supports.
std::string pip_requirement(const std::string& package, const VersionRange* bound, const std::string& python);

/// Removes the checks of Python packages if Python itself is unsuitable: another one has its own.
void leave_out_packages_of_wrong_python(DoctorReport& report);

/// Compares the host with the bounds of the release, the board's image or the manifest, and evaluates the conditions of
/// known issues with the facts read. An issue excluded by an `ok` check (enough memory; a Python package that is old
/// enough) is not reported. Raises usage as plan_on_host.
DoctorReport doctor(const Catalog& catalog, const DoctorTarget& target, const HostFacts& host);

// The planner's view of a build on a host: its conditions, evaluated with the facts read there.

struct HostPlan {
  Plan plan;  ///< release, board, image (null without a board), python of the target, facts, components
  std::vector<plan::FixChoice> choices;  ///< one per issue, by id
};

/// Overrides the facts of the board and its image with those read, and both with --set. Without a board the host is the
/// target; what cannot be read (GPU figures, available libraries) stays unknown. Raises usage for an unknown release,
/// board or image and an invalid --set. The result points into `catalog`.
HostPlan plan_on_host(const Catalog& catalog, const DoctorTarget& target, const HostFacts& host);

/// Returns whether a check other than `name` alone decides an issue: the memory's, or that of the package it is named
/// after.
bool is_decided_elsewhere(const Issue& issue, const std::string& name, const std::vector<HostCheck>& checks);

/// Returns the requirements of a prepared tree in report order. Calls doctor for each tool at each version where the
/// result may change. An issue that the plan for another tool version would fix by a patch fails if this tree lacks
/// that patch. Raises as doctor.
std::vector<HostRequirement> host_requirements(const Catalog& catalog, const Manifest& manifest, const Plan& plan);

/// The output of a tree's check.sh on a host.
struct HostProbes {
  std::vector<HostCheck> checks;
  std::vector<InstallCommand> install;
};

/// Returns the findings of a tree's build.sh and check.sh: runs the same functions, with the tree's build.env, in
/// `variables`; `place` is the build directory, whose disk counts. Compiled probes go to a temporary directory and are
/// not run. Raises environment if no shell can be started or its output cannot be read.
HostProbes probe_host(const Manifest& manifest, const std::vector<HostRequirement>& requirements,
                      const std::string& place, const std::map<std::string, std::string>& variables);

/// Locations to read from.
struct HostPlaces {
  std::string root;       ///< root of etc/os-release, proc/ and usr/: "/", or a mounted system
  std::string directory;  ///< its free space counts
  /// The environment of programs. PATH locates them, PYTHON is the building Python, CUDA_HOME is CUDA's location.
  std::map<std::string, std::string> variables;
  std::vector<std::string> packages;  ///< Python packages to query
  std::string nvcc_variable = "-";    ///< see nvcc_compiler_variable()
  std::chrono::seconds patience{20};  ///< timeout of each program
};

/// Reads the facts for doctor: files below a root, and the versions printed by a few programs. Changes nothing. Facts
/// from a program that is missing, fails, or times out stay unknown. Raises environment only if no process can be
/// started.
HostFacts read_host(const HostPlaces& places);

/// Returns the system below a root, "ubuntu-18.04" from ID and VERSION_ID, os-release(5), or empty text.
std::string read_os(const std::string& root);

/// Returns the lines of a file, which may be NUL-terminated; none if it cannot be read.
std::vector<std::string> lines_of_file(const std::string& path);

/// A recognised board or image, with the evidence: "/proc/device-tree/model 'Raspberry Pi 5'".
struct Recognised {
  std::string id, reason;
};

/// Returns the board of the host below `root` ("/", or a mounted system). Raises environment, with what was found: no
/// board matches, or several by different evidence; a container, a chroot, an emulated processor.
Recognised recognise_board(const Catalog& catalog, const HostFacts& host, const std::string& root);
/// Returns the board's image that the host runs. Raises as recognise_board.
Recognised recognise_image(const Board& board, const HostFacts& host, const std::string& root);

/// Returns the first version in a text ("cmake version 3.25.1" → 3.25.1), without suffixes ("59.5.0.post1" → 59.5.0),
/// or nothing.
std::optional<Version> first_version(std::string_view text);

}  // namespace torchpatch::trees
