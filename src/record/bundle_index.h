// SPDX-License-Identifier: BSD-3-Clause
/// BundleIndex: index.json, the first member of a bundle, which lists its contents (docs/formats.md: "Bundles").
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "model/json_forms.h"
#include "model/manifest.h"
#include "model/patchset.h"
#include "model/release.h"

namespace torchpatch::record {

struct BundleCommit {
  ObjectId commit, tree;
};
FIELDS(BundleCommit, commit, tree)

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
FIELDS(BundleRepository, ("url", RepositoryUrl{self.url}), ("member", Always{self.member()}),
       ("size", self.size, Range{1, std::int64_t{1} << 40}), sha256,
       ("objects", self.objects, Range{1, std::numeric_limits<std::uint32_t>::max()}),
       ("commits", self.commits, kNotEmpty))
/// Reports commits out of order.
void check_fields(ObjectReader& object, const BundleRepository& repository);

/// The pin of a component.
struct BundlePin {
  std::string url;
  ObjectId commit;
};
FIELDS(BundlePin, ("url", RepositoryUrl{self.url}), commit)

/// A release whose closure is in the bundle, with its overrides of submodules.
struct BundleClosure {
  std::string release;
  std::map<Component, BundlePin> components;
  std::vector<SubmoduleOverride> overrides;  ///< sorted
};
FIELDS(BundleClosure, ("release", self.release, kVersionRule), ("components", self.components, kNotEmpty), overrides)
/// Reports overrides out of order.
void check_fields(ObjectReader& object, const BundleClosure& closure);

struct BundleIndex {
  std::int64_t timestamp = 0;  ///< of the newest pinned commit, seconds since 1970; every member's time
  std::vector<BundleClosure> closures;
  std::vector<BundleRepository> repositories;  ///< by member name
};
FIELDS(BundleIndex, ("schema", SchemaVersion{}), ("what", Always{"torchpatch bundle"}),
       ("timestamp", self.timestamp, Range{0, kLastTimestamp}), ("closures", self.closures, kNotEmpty), repositories)
/// Reports repositories out of order.
void check_fields(ObjectReader& object, const BundleIndex& index);

/// Returns the bytes of index.json.
std::string bundle_index_json(const BundleIndex& index);

/// Parses what bundle_index_json() wrote; any other text for the same values is refused. `file` is for messages. Raises
/// data.
BundleIndex parse_bundle_index(std::string_view bytes, const std::string& file);

}  // namespace torchpatch::record
