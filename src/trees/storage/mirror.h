// SPDX-License-Identifier: BSD-3-Clause
/// The closures that whoever prepares a release may need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/keep.h"
#include "source/closure/closure.h"
#include "source/closure/object_source.h"
#include "source/fetch/network.h"
#include "support/console.h"

namespace torchpatch::trees {

/// Which releases, and for whom.
struct ReleaseChoice {
  std::vector<std::string> versions;  ///< at least one
  std::vector<Component> components;  ///< empty: all of the release
  std::string board;                  ///< empty: any board
  std::string image;                  ///< of the board; empty: its default
};

/// Pins, and the submodules that are taken at other commits.
struct PinnedSet {
  const Release* release = nullptr;
  std::vector<Component> components;
  std::vector<SubmoduleOverride> overrides;
};

/// Returns the sets that the choice needs: with a board, what its plan takes; without one, the pins as they are and
/// every set of overrides that some board, image and flag reach. Raises usage: unknown version, board, image, or a
/// component that the release does not have.
std::vector<PinnedSet> pinned_sets(const Catalog& catalog, const ReleaseChoice& choice);

/// Reads the closure of each set. Raises as source::read_closure does.
std::vector<source::Closure> read_closures(const std::vector<PinnedSet>& sets, const Catalog& catalog,
                                           source::ObjectSource& source, int jobs, Console& console);

// mirror: every object of releases in one folder of bare repositories.

struct MirrorOptions {
  ReleaseChoice choice;
  std::string output;
  int jobs = 1;
  std::optional<source::NetworkOptions> histories;  ///< the whole history of each repository is fetched as well
};

/// Brings the objects of all closures of the choice to "<output>/git/<host>/<path>.git". What is there already stays.
/// Raises as pinned_sets, source::read_closure, source::fill_repositories and source::fetch_histories do.
MirrorReport mirror(const Catalog& catalog, const MirrorOptions& options, source::ObjectSource& source,
                    Console& console);

}  // namespace torchpatch::trees
