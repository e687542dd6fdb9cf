// SPDX-License-Identifier: BSD-3-Clause
/// Carries places in sources over from one release to another, by what differs between the two files.
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/release_draft.h"
#include "source/closure/pinned_lookup.h"

namespace torchpatch::upkeep {

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
  std::vector<ChangedPlace> changed;  ///< of these, those whose line is another
  std::vector<LostPlace> lost;
  std::vector<std::string> first;
  Citations citations;  ///< those that hold, of the new release
  std::vector<LostCitation> lost_citations;
  std::string cmake;  ///< lowest version that torch's CMakeLists.txt takes, or empty
};
template <typename Fields>
void fields(Fields& f, CarriedPlaces& places) {
  f("flags", places.flags);
  f("imports", places.imports);
  f("changed", places.changed);
  f("lost", places.lost);
  f("first", places.first);
  f("present", places.citations.present);
  f("absent", places.citations.absent);
  f("lost_citations", places.lost_citations);
  f("cmake", places.cmake);
}

/// Carries the places of `like` over to the pins of `release`; variables and modules of components that it has not are
/// left out. A line that was changed is carried over to the one in its place that is most like it and still names the
/// variable, or to the only line of the file that does. Citations hold where the line that theirs became has their
/// words. Raises as PinnedLookup, but for files that are only cited or looked at for new variables.
CarriedPlaces carry_places(const Catalog& catalog, const Release& like, const Release& release,
                           source::PinnedLookup& lookup);

}  // namespace torchpatch::upkeep
