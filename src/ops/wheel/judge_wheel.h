// SPDX-License-Identifier: BSD-3-Clause
/// Whether what is in a wheel works on a board: a function of data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/wheel.h"
#include "ops/wheel/read_wheel.h"

namespace torchpatch::ops {

/// A board with an image, as a wheel finds it.
struct WheelTarget {
  const Catalog& catalog;
  const Board& board;
  const Image& image;

  std::string arch() const { return image.arch.value_or(board.arch); }
  const std::string& cpu_flags() const { return image.cpu_flags ? *image.cpu_flags : board.cpu_flags; }
  /// Returns the ends of file names that Python of a version takes for extension modules there, the most telling first
  /// (importlib.machinery.EXTENSION_SUFFIXES of Debian's and Ubuntu's Pythons).
  std::vector<std::string> extension_suffixes(const Version& python) const;
};

/// Returns the machine's name in file names of Debian: "arm-linux-gnueabihf".
std::string debian_triplet(const std::string& arch);

/// Returns the release that pins a component at the version that a wheel of that name has ("torchvision", "0.9.1+cpu"),
/// or null.
const Release* release_of_wheel(const Catalog& catalog, const std::string& name, const std::string& version);

/// A wheel, its name, and what is in it.
struct OpenedWheel {
  std::string file;
  WheelContents contents;
};

/// Judges each of the wheels, and what torchvision and torchaudio among them need of the torch among them.
std::vector<CheckedWheel> judge_wheels(const std::vector<OpenedWheel>& wheels, const WheelTarget& target);

}  // namespace torchpatch::ops
