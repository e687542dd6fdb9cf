// SPDX-License-Identifier: BSD-3-Clause
/// A board: a target machine as capabilities, with its images. Data: boards/*.json.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/citation.h"
#include "model/release.h"
#include "model/version.h"

namespace torchpatch {

struct Gpu {
  Version compute_capability;                       ///< "6.2"
  std::optional<std::int64_t> registers_per_block;  ///< 32-bit registers
};

/// The system software of a board. Facts that are not known are absent, never guessed.
struct Image {
  std::string id;  ///< "jetpack-3.3"
  std::string title;
  std::string os;                        ///< "ubuntu-16.04"
  std::optional<std::string> arch;       ///< overrides the board's (a Pi is armv7l or aarch64 by its OS)
  std::optional<std::string> cpu_flags;  ///< overrides the board's
  std::optional<Version> glibc, gcc, cmake, cuda, cudnn;
  std::set<std::string> known_absent;  ///< which of these five the image is known to lack (`"cuda": null`)
  std::vector<Version> python;         ///< minor versions; the first is the one builds use
};

/// The image that serves some releases when the user names none.
struct DefaultImage {
  VersionRange releases;
  std::string image;
};

struct Board {
  std::string id;
  std::string title;
  std::vector<std::string> aliases;
  std::string arch;       ///< uname -m: aarch64, armv7l
  std::string cpu_flags;  ///< compiler flags for its CPU
  std::int64_t memory_mib = 0;
  std::optional<Gpu> gpu;          ///< absent = it has none
  std::vector<std::string> has;    ///< what it has beyond CPU and GPU: "programmable-logic"
  std::vector<std::string> lacks;  ///< libraries that are not to be had there: "nccl", "magma"
  std::vector<Image> images;
  std::vector<DefaultImage> default_images;
  /// Environment of a build for this board, name → value, in order.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> build_steps;  ///< commands of its recipe besides the usual ones, may be empty
  std::vector<SourceNote> sources;
  Citations citations;  ///< of the sources' texts

  const Image* find_image(const std::string& id) const;
};

}  // namespace torchpatch
