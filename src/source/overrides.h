// SPDX-License-Identifier: BSD-3-Clause
/// Takes submodules at another commit than their gitlinks name, while a closure is walked.
#pragma once

#include <set>
#include <vector>

#include "model/submodule_override.h"
#include "source/submodules.h"

namespace torchpatch::source {

/// The overrides of one closure, and which of them were met.
class Overrides {
 public:
  Overrides(const std::vector<SubmoduleOverride>& overrides, const std::vector<MovedRepository>& moved)
      : overrides_(overrides), moved_(moved) {}

  /// Gives each of `submodules` that an override is for its commit and URL. Raises patch where the gitlink names
  /// another commit than the override replaces, unsafe where its URL is refused.
  void take(std::vector<PinnedRepository>& submodules);
  /// Raises patch where an override was for no submodule.
  void require_all_taken() const;

 private:
  const std::vector<SubmoduleOverride>& overrides_;
  const std::vector<MovedRepository>& moved_;
  std::set<RepositoryPath> taken_;
};

}  // namespace torchpatch::source
