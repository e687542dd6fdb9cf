// SPDX-License-Identifier: BSD-3-Clause
/// A patchset whose variants change, and its patchset.json with it (internal).
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"
#include "support/json.h"

namespace torchpatch::ops {

/// Where a release lies, seen from the one that a patchset is carried from.
enum class Direction { newer, older };

class ChangedPatchset {
 public:
  /// `path`: of its patchset.json. Raises data, environment.
  ChangedPatchset(const Patchset& patchset, std::string path);

  /// Ends the range of a variant before a release, and says why where that is not empty.
  void end(const std::string& variant, const Version& release, Direction direction, const std::string& why);
  /// Lets the range of a variant hold a release, and all in between; where other variants are for some of those, a new
  /// variant has the same patches. Returns the variant's id.
  std::string widen(const std::string& variant, const Version& release, Direction direction, const Catalog& catalog);
  /// Adds a variant for one release.
  void add(const std::string& id, const Version& release, std::vector<Patch> patches);

  /// Lets it take the place of the one of a lower layer whose file has this digest.
  void replace(const Sha256& below);

  const Patchset& patchset() const { return patchset_; }
  /// Returns the bytes of its patchset.json.
  std::string described() const;

 private:
  Variant& variant(const std::string& id);
  void set_range(const std::string& id, const std::string& range);
  Json& json_of(const std::string& id);

  Patchset patchset_;
  std::string path_;
  Json json_;
};

/// Returns the range with `release`, and without it.
std::string widened_range(const VersionRange& range, const Version& release, Direction direction);
std::string ended_range(const VersionRange& range, const Version& release, Direction direction);

}  // namespace torchpatch::ops
