// SPDX-License-Identifier: BSD-3-Clause
/// The files of one pinned repository, each read when a patch asks for it.
#pragma once

#include <set>

#include "patch/apply.h"
#include "source/pinned_lookup.h"

namespace torchpatch::ops {

/// Both must outlive this. Raises as PinnedLookup.
class LookupFiles : public patch::FileSource {
 public:
  LookupFiles(source::PinnedLookup& lookup, const source::LocatedRepository& repository)
      : lookup_(lookup), repository_(repository) {}

  std::optional<patch::TreeFile> read(const std::string& path) override;
  bool is_directory(const std::string& path) override;
  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override;

 private:
  source::PinnedLookup& lookup_;
  const source::LocatedRepository& repository_;
};

}  // namespace torchpatch::ops
