// SPDX-License-Identifier: BSD-3-Clause
/// index.json, the first member of a bundle: what is in it (docs/formats.md: "Bundles").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/release.h"

namespace torchpatch::record {

struct BundleCommit {
  ObjectId commit, tree;
};

/// A repository and its pack.
struct BundleRepository {
  std::string url;
  std::vector<BundleCommit> commits;  ///< by id
  std::uint64_t objects = 0;
  std::uint64_t size = 0;  ///< of the pack, bytes
  Sha256 sha256;           ///< of the pack

  /// Returns the name of the pack's member: "packs/github.com/pytorch/pytorch.pack".
  std::string member() const;
};

/// The pins of a component.
struct BundlePin {
  Component component = Component::torch;
  std::string url;
  ObjectId commit;
};

/// A release whose closure is in the bundle, with the submodules that are taken at other commits.
struct BundleClosure {
  std::string release;
  std::vector<BundlePin> components;         ///< in the order torch, vision, audio
  std::vector<SubmoduleOverride> overrides;  ///< sorted
};

struct BundleIndex {
  std::int64_t timestamp = 0;  ///< of the newest pinned commit, seconds since 1970; every member's time
  std::vector<BundleClosure> closures;
  std::vector<BundleRepository> repositories;  ///< by the names of their members
};

/// Returns the bytes of index.json.
std::string bundle_index_json(const BundleIndex& index);

/// Reads what bundle_index_json() wrote, and nothing else: any other text for the same values is refused. `file` is for
/// messages. Raises data.
BundleIndex parse_bundle_index(std::string_view bytes, const std::string& file);

}  // namespace torchpatch::record
