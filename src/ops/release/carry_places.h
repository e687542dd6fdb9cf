// SPDX-License-Identifier: BSD-3-Clause
/// Carries places in sources over from one release to another, by what differs between the two files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/catalog.h"
#include "model/release_draft.h"
#include "source/closure/pinned_lookup.h"

namespace torchpatch::ops {

/// For each line of `before`, from 1, the line of `after` that it became; 0 where it is gone or was changed. Element 0
/// is 0.
std::vector<std::size_t> line_map(std::string_view before, std::string_view after);

/// A module that the build of a component imports, and where.
struct CarriedImport {
  Component component = Component::torch;
  BuildFlag module;
};
template <typename Fields>
void fields(Fields& f, CarriedImport& carried) {
  f("component", carried.component);
  f("module", carried.module);
}

/// What the sources of a new release say of what the release before cites.
struct CarriedPlaces {
  std::vector<BuildFlag> flags;  ///< at their new places, those that were found
  std::vector<CarriedImport> imports;
  std::vector<LostPlace> lost;
  std::vector<std::string> first;
  std::string cmake;  ///< lowest version that torch's CMakeLists.txt takes, or empty
};
template <typename Fields>
void fields(Fields& f, CarriedPlaces& places) {
  f("flags", places.flags);
  f("imports", places.imports);
  f("lost", places.lost);
  f("first", places.first);
  f("cmake", places.cmake);
}

/// Carries the places of `like` over to the pins of `release`; variables and modules of components that it has not are
/// left out. Raises as PinnedLookup.
CarriedPlaces carry_places(const Catalog& catalog, const Release& like, const Release& release,
                           source::PinnedLookup& lookup);

}  // namespace torchpatch::ops
