// SPDX-License-Identifier: BSD-3-Clause
/// What a release archive has of the pinned trees, path by path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/digest.h"

namespace torchpatch {

/// One archive against the pinned trees of the repository that it is named for, and of the submodules that lie in it.
/// Paths are below the archive's top directory, sorted.
struct ArchiveComparison {
  std::string repository, file;
  std::string format;                  ///< "tar.gz"
  Sha256 digest;                       ///< of the file
  std::string commit;                  ///< that the archive says it was made of, or empty
  std::string pinned;                  ///< commit of the repository; empty where the release has none of this name
  std::uint64_t pinned_files = 0;      ///< of the trees that it was compared with
  std::vector<std::string> converted;  ///< lines end in CR LF; the pinned content, with LF, was computed
  std::vector<std::string> differing;  ///< have another content than the pinned one
  std::vector<std::string> modes;      ///< have another mode; the pinned one counts
  std::vector<std::string> absent;     ///< pinned, but not in the archive
  std::vector<std::string> extra;      ///< in the archive, but not pinned; never written
};

}  // namespace torchpatch
