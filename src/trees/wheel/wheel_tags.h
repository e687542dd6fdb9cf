// SPDX-License-Identifier: BSD-3-Clause
/// The name of a wheel: which Pythons and systems pip installs it on (PEP 425, 427, 600), and which names Python looks
/// for in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalog.h"

namespace torchpatch::trees {

/// The parts of a wheel's file name: "torch-1.8.1-cp39-cp39-linux_aarch64.whl". Tags are in lower case, as pip compares
/// them, and may be several, with dots between them.
struct WheelName {
  std::string name, version, build, python, abi, platform;

  /// Returns nothing where pip takes the text for no wheel's name.
  static std::optional<WheelName> parse(std::string_view file);
};

/// A board with an image, as a wheel finds it.
struct WheelTarget {
  const Catalog& catalog;
  const Board& board;
  const Image& image;

  std::string arch() const { return image.arch.value_or(board.arch); }
  const std::string& cpu_flags() const { return image.cpu_flags ? *image.cpu_flags : board.cpu_flags; }
};

/// Returns the Pythons of the image that the wheel's tags are for.
std::vector<Version> pythons_for(const WheelName& name, const Image& image);

/// Returns the glibc that a platform means, "manylinux_2_17" itself and "manylinux2014" by the table; nothing for
/// others.
std::optional<Version> glibc_of_platform(const PlatformTable& table, const std::string& platform);

/// What the tags of a wheel's platform mean on a target.
struct PlatformFit {
  bool is_installable = false;
  bool is_for_arch = false;  ///< one of them is for its machine, or for any
  std::string claim;         ///< the oldest manylinux platform that they name, or empty
};
PlatformFit platform_fit(const WheelName& name, const WheelTarget& target);

/// Returns the machine's name in file names of Debian: "arm-linux-gnueabihf".
std::string debian_triplet(const std::string& arch);

/// Returns the ends of file names that Python of a version takes for extension modules on a machine, the most telling
/// first (importlib.machinery.EXTENSION_SUFFIXES of Debian's and Ubuntu's Pythons).
std::vector<std::string> extension_suffixes(const Version& python, const std::string& arch);

/// Returns the end of the name of a file that Python may import ("torch/_C.abi3.so": ".abi3.so"), or empty text for
/// another: libtorch.so is a library.
std::string module_suffix(std::string_view path);

/// Returns the component that a wheel of this name is: "torchvision".
std::optional<Component> component_of_wheel(const std::string& name);

/// Returns the release that pins a component at the version that a wheel of that name has ("torchvision", "0.9.1+cpu"),
/// or null.
const Release* release_of_wheel(const Catalog& catalog, const std::string& name, const std::string& version);

}  // namespace torchpatch::trees
