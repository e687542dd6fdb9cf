// SPDX-License-Identifier: BSD-3-Clause
/// doctor: which checks a host fails that is to build a release, and which known issue each is. host_requirements() has
/// the same for the scripts of a tree, read_host() and probe_host() find out about a host.
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

/// What is to be built.
struct DoctorTarget {
  std::string release;
  std::string board, image;  ///< board empty: this host is what it is built for
  PlanOptions options;
  std::string python;                               ///< of a manifest; empty = any of the image
  std::map<std::string, VersionRange> tool_bounds;  ///< of a manifest
  bool is_manifest = false;                         ///< its bounds count, not the release's
};

/// Returns the target of a prepared tree. Raises data for a bound that is no range.
DoctorTarget target_of(const Manifest& manifest);

/// The recorded build (build_sizes.json) that is the best guide to another one: check.sh, doctor and the jobs of a
/// matrix say by it what that takes.
struct BuildGuide {
  const BuildSize* build = nullptr;  ///< owned by the catalog
  bool is_measured = false;          ///< the same release and architecture, and it was measured
  /// How much more time and disk a job may take, for machines differ; of an estimate more.
  std::int64_t margin() const { return is_measured ? 2 : 3; }
};

/// Returns the build of this recipe whose architecture is the plan's, before others, and whose release is the nearest
/// before the plan's, or else the oldest; nothing where there is none of the recipe.
std::optional<BuildGuide> guide_to(const BuildSizes& sizes, const Plan& plan, RecipeKind recipe);

/// Returns the disk space in MiB that a build takes with its tree, by the recorded build of the nearest release, of any
/// recipe; 0 if none is recorded. check.sh, doctor, `build` and README.md of a recipe state this figure.
std::int64_t disk_for(const BuildSizes& sizes, const Version& release, const std::string& arch);
std::int64_t disk_for(const Catalog& catalog, const Manifest& manifest);

/// Returns whether a build for these facts compiles CUDA code: the board has a GPU, and CUDA is known to be installed.
bool builds_for_cuda(const Facts& facts);

/// Returns the packages of Python whose versions doctor compares.
std::vector<std::string> packages_to_read(const Catalog& catalog, const DoctorTarget& target);

/// Returns how a series of gcc is installed, by the names of Debian and Ubuntu, and used.
std::string gcc_advice(int series);

/// Returns the variable that names the compiler which builds of this release have nvcc use, if CUDAHOSTCXX does not:
/// "CC", as FindCUDA.cmake has it, or "-": from 1.11 on CMake's language CUDA leaves the choice to nvcc.
std::string nvcc_compiler_variable(const Release& release);

/// Returns what pip is told to install: the package within `bound` (null: any), and not newer than `python`, such as
/// "3.5", can use.
std::string pip_requirement(const std::string& package, const VersionRange* bound, const std::string& python);

/// Leaves out the checks of Python's packages where the Python itself will not do: another one has others.
void leave_out_packages_of_wrong_python(DoctorReport& report);

/// Compares the host with the bounds of the release, the board's image or the manifest, and evaluates the conditions of
/// the known issues with what was read. An issue that an `ok` check rules out (enough memory; a package of Python that
/// is old enough) is not in the report. Raises usage as plan_on_host does.
DoctorReport doctor(const Catalog& catalog, const DoctorTarget& target, const HostFacts& host);

// What the planner says of a build on a host: its own conditions, evaluated with what was read there.

struct HostPlan {
  Plan plan;  ///< release, board, image (null without a board), python of the target, facts, components
  std::vector<plan::FixChoice> choices;  ///< one for every issue, by id
};

/// Lays what was read over the facts of the board and its image, --set over both. Without a board the host is the
/// target; what cannot be read there (the GPU's figures, the libraries available) stays unknown. Raises usage for
/// an unknown release, board or image and for a wrong --set. The result points into `catalog`.
HostPlan plan_on_host(const Catalog& catalog, const DoctorTarget& target, const HostFacts& host);

/// Returns whether another check than `name` alone decides an issue: that of memory, or of the package it is named
/// after.
bool is_decided_elsewhere(const Issue& issue, const std::string& name, const std::vector<HostCheck>& checks);

/// Returns the requirements of a prepared tree in the order in which they are told. For each tool doctor is asked at
/// each version where its answer may change. An issue that the plan of another tool version would answer by a patch
/// fails where this tree has not that patch. Raises as doctor does.
std::vector<HostRequirement> host_requirements(const Catalog& catalog, const Manifest& manifest, const Plan& plan);

/// What check.sh of a tree prints of a host.
struct HostProbes {
  std::vector<HostCheck> checks;
  std::vector<InstallCommand> install;
};

/// Returns the findings of build.sh and check.sh of a tree: runs the very functions that these have, with the tree's
/// build.env, in `variables`; `place` is where the build would be, whose disk counts. What they compile lies in a
/// temporary directory and is not run. Raises environment if no shell can be started or its output cannot be read.
HostProbes probe_host(const Manifest& manifest, const std::vector<HostRequirement>& requirements,
                      const std::string& place, const std::map<std::string, std::string>& variables);

/// Where to read.
struct HostPlaces {
  std::string root;       ///< etc/os-release, proc/ and usr/ are read below it: "/", or a system that is mounted
  std::string directory;  ///< whose free space counts
  /// The environment of the programs. PATH says where they are, PYTHON which Python builds, CUDA_HOME where CUDA is.
  std::map<std::string, std::string> variables;
  std::vector<std::string> packages;  ///< of Python, whose versions are asked for
  std::string nvcc_variable = "-";    ///< see nvcc_compiler_variable()
  std::chrono::seconds patience{20};  ///< with each program
};

/// Reads what doctor judges: files below a root, and a few programs that print their versions. Changes nothing.
/// Returns what could be read; a program that is missing, fails, or takes too long leaves its fact unknown.
/// Raises environment only where no process can be started at all.
HostFacts read_host(const HostPlaces& places);

/// Returns the system below a root, "ubuntu-18.04" of ID and VERSION_ID, os-release(5), or empty text.
std::string read_os(const std::string& root);

/// Returns the lines of a file, which may end with NUL; none if it cannot be read.
std::vector<std::string> lines_of_file(const std::string& path);

/// A board or image of the catalog that a host is, and how that is known: "/proc/device-tree/model 'Raspberry Pi 5'".
struct Recognised {
  std::string id, reason;
};

/// Returns the board that the host below `root` ("/", or where a system is mounted) is. Raises environment, with what
/// was found: no board matches, or several by different evidence; a container, a chroot, an emulated processor.
Recognised recognise_board(const Catalog& catalog, const HostFacts& host, const std::string& root);
/// Returns the image of the board that the host runs. Raises as recognise_board.
Recognised recognise_image(const Board& board, const HostFacts& host, const std::string& root);

/// Returns the first version in a text ("cmake version 3.25.1" → 3.25.1), without what follows its numbers
/// ("59.5.0.post1" → 59.5.0), or nothing.
std::optional<Version> first_version(std::string_view text);

}  // namespace torchpatch::trees
