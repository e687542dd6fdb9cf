// SPDX-License-Identifier: BSD-3-Clause
/// A patchset whose variants change, and its patchset.json with it (internal).
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"
#include "support/json.h"

namespace torchpatch::upkeep {

/// Where a release lies, seen from the one that a patchset is carried from.
enum class Direction { newer, older };

class ChangedPatchset {
 public:
  /// `path`: of its patchset.json. Raises data, environment.
  ChangedPatchset(const Patchset& patchset, std::string path);

  /// Ends the range of a variant before a release, and says why where that is not empty. Where it is for releases of
  /// the catalog behind that as well, a new variant that is the same is for those.
  void end(const std::string& variant, const Version& release, Direction direction, const std::string& why,
           const Catalog& catalog);
  /// Lets the range of a variant hold a release, and all in between; where the catalog has releases there that it was
  /// not for, a new variant that is the same is for this one alone. Returns the variant's id.
  std::string widen(const std::string& variant, const Version& release, Direction direction, const Catalog& catalog);
  /// Adds a variant for one release, which is as `from` but for the patches.
  void add(const std::string& id, const std::string& from, const Version& release, std::vector<Patch> patches);

  /// Lets it take the place of the one of a lower layer whose file has this digest.
  void replace(const Sha256& below);

  const Patchset& patchset() const { return patchset_; }
  /// Returns the bytes of its patchset.json.
  std::string described() const;

 private:
  Variant& variant(const std::string& id);
  void set_range(const std::string& id, const std::string& range);
  Json& json_of(const std::string& id);
  /// Adds a variant that is as another but for id and range.
  void add_copy(const std::string& from, const std::string& id, const std::string& range);
  void remove_end(const std::string& id);

  Patchset patchset_;
  std::string path_;
  Json json_;
};

/// Returns an id that no variant has: `wanted`, where it is free.
std::string unused_variant_id(const Patchset& patchset, std::string wanted);

/// Returns the range with `release`, and without it.
std::string widened_range(const VersionRange& range, const Version& release, Direction direction);
std::string ended_range(const VersionRange& range, const Version& release, Direction direction);

}  // namespace torchpatch::upkeep
