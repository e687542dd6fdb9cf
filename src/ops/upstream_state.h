// SPDX-License-Identifier: BSD-3-Clause
/// Whether upstream has at a release what a patchset would make there, by the blob ids of its certificates.
#pragma once

#include <string>

#include "model/catalog.h"
#include "source/pinned_lookup.h"

namespace torchpatch::ops {

struct UpstreamState {
  enum Kind {
    unknown,  ///< neither, or no certificate says what its patches change
    fixed,    ///< every file that a variant changes is what some certificate says that its last patch makes of it
    absent,   ///< no file that any variant changes is there
  };
  Kind kind = unknown;
  std::string reason;               ///< in words, with path and blob id
  std::optional<ObjectId> missing;  ///< unknown, since this commit is nowhere
};

/// Raises as PinnedLookup.
UpstreamState upstream_state(const Patchset& patchset, const Catalog& catalog, const Release& release,
                             source::PinnedLookup& lookup);

}  // namespace torchpatch::ops
