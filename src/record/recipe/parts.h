// SPDX-License-Identifier: BSD-3-Clause
/// Parts that the files of a recipe are made of (internal).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "record/recipe/recipe.h"

namespace torchpatch::record {

/// What Debian, GNU and qemu call an architecture.
struct ArchitectureNames {
  std::string debian, triplet, qemu;
};

/// A system whose packages a recipe takes: what debootstrap and apt call it.
struct System {
  std::string_view os;            ///< as images name it: "ubuntu-18.04"
  std::string_view distribution;  ///< "debian" or "ubuntu"; Raspberry Pi OS is taken for the Debian that it is made of
  std::string_view suite;         ///< "bionic"
  std::string_view python;        ///< the minor version that its package python3 brings
  std::string_view openblas, png, sox;  ///< the packages of libraries that programs load
  bool has_typing_extensions;           ///< as a package of Python
};

/// A CUDA that a cross build takes from packages, for both machines.
struct CudaToolkit {
  std::string_view name;       ///< of --cuda: "debian-11.2"
  std::string_view version;    ///< "11.2"
  std::string_view os;         ///< whose packages it is: "debian-11"
  std::string_view compiler;   ///< behind the name of the g++ that nvcc takes: "-11", or empty: the system's own
  std::string_view libraries;  ///< the packages whose libraries torch and torchvision load on the board
};

struct Parts {
  RecipeInput from;
  const Manifest& manifest;
  std::string arch, system;
  const System* packages;  ///< of the system; null where none are known
  ArchitectureNames names;
  const CudaToolkit* cuda;  ///< null: the recipe brings none

  bool has(Component component) const { return std::ranges::count(manifest.components, component) > 0; }
};

/// Returns the toolkit that --cuda names, or null without it. Raises usage: it is not known; another kind than sysroot.
const CudaToolkit* find_cuda(const RecipeInput& input);

/// Raises usage where a cross build would not be what is planned: CUDA without a toolkit, a toolkit without CUDA or of
/// another version, system or architecture, cuDNN with a toolkit that has none.
void check_cuda(const Parts& parts);

/// Returns what pip installs in place of the system's CMake, or nothing. Whatever --root names, its Python is the
/// plan's, and so is its CMake.
std::string newer_cmake(const Parts& parts);

/// Returns the packages that a wheel needs where it runs.
std::vector<std::string> runtime_packages(const Parts& parts);

/// Returns README.md, a page on a screen.
std::string readme(const Parts& parts);

// The texts that recipes are made of, as embedded by cmake/embed.cmake.

extern const std::string_view kCommonScript;
extern const std::string_view kRootsScript;
extern const std::string_view kMainScript;
extern const std::string_view kNativeScript;
extern const std::string_view kChrootScript;
extern const std::string_view kSysrootScript;
extern const std::string_view kCrossScript;
extern const std::string_view kCmakeScript;
extern const std::string_view kMpicxxScript;
extern const std::string_view kToolchain;
extern const std::string_view kCudaToolchain;  ///< what follows in it with CUDA
extern const std::string_view kNvccScript;
extern const std::string_view kAnswers;  ///< what CMake cannot ask the board: machine, name, answer
extern const std::string_view kSitecustomize;
extern const std::string_view kContainerScript;
extern const std::string_view kContainerfile;
extern const std::string_view kKindTexts;

}  // namespace torchpatch::record
