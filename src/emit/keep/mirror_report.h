// SPDX-License-Identifier: BSD-3-Clause
/// mirror, bundle create, bundle unpack: what was brought where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/run/reports.h"
#include "support/object_id.h"

namespace torchpatch::emit {

struct MirroredRepository {
  std::string url;
  std::string path;  ///< of the repository, or of the pack in a bundle
  std::vector<ObjectId> commits;
  std::uint64_t objects = 0, added = 0;
  std::uint64_t bytes = 0;  ///< of the pack that was added, or 0
};

struct MirrorReport {
  std::string action;  ///< "mirrored", "unpacked", "bundled"
  std::string output;
  std::vector<std::string> releases;
  std::vector<MirroredRepository> repositories;
  std::string sha256{};    ///< of the bundle's file, or empty
  std::uint64_t size = 0;  ///< of the bundle's file, bytes, or 0
};

/// JSON: {"schema": 1, "output", "releases", "repositories": [{url, path, commits, objects, added, bytes}], …}.
std::string mirror_report(const MirrorReport& report, Format format);

}  // namespace torchpatch::emit
