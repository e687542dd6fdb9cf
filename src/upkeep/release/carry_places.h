// SPDX-License-Identifier: BSD-3-Clause
/// Carries places in sources over from one release to another, by what differs between the two files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/release_draft.h"
#include "source/closure/pinned_lookup.h"

namespace torchpatch::upkeep {

/// What the sources of a new release say of what the release before cites.
struct CarriedPlaces {
  std::map<std::string, std::string> flags;  ///< as Release has them, at their new places; those that were found
  std::map<Component, std::map<std::string, std::string>> imports;
  std::vector<ChangedPlace> changed;  ///< of these, those whose line is another
  std::vector<LostPlace> lost;
  std::vector<std::string> first;
  Citations citations;  ///< those that hold, of the new release
  std::vector<LostCitation> lost_citations;
  std::string cmake;  ///< lowest version that torch's CMakeLists.txt takes, or empty
};
FIELDS(CarriedPlaces, flags, imports, changed, lost, first, ("present", self.citations.present),
       ("absent", self.citations.absent), lost_citations, cmake)

/// Carries the places of `like` over to the pins of `release`; variables and modules of components that it has not are
/// left out. A line that was changed is carried over to the one in its place that is most like it and still names the
/// variable, or to the only line of the file that does. Citations hold where the line that theirs became has their
/// words. Raises as PinnedLookup, but for files that are only cited or looked at for new variables.
CarriedPlaces carry_places(const Catalog& catalog, const Release& like, const Release& release,
                           source::PinnedLookup& lookup);

}  // namespace torchpatch::upkeep
