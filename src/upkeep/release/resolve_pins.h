// SPDX-License-Identifier: BSD-3-Clause
/// The commits that a new release pins: those that were given, else those of upstream's tags; and which companions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/release_draft.h"
#include "source/closure/object_source.h"
#include "source/fetch/network.h"
#include "support/console.h"

namespace torchpatch::upkeep {

/// What is asked of a component.
struct WantedPin {
  std::string version{};             ///< empty: the release shall not have it
  std::string tag{};                 ///< empty: "v" and the version
  std::optional<ObjectId> commit{};  ///< nothing: that of the tag

  /// Returns the pin of "0.12.0", "0.12.0=COMMIT" or "none", or nothing.
  static std::optional<WantedPin> parse(const std::string& text);
};

struct WantedPins {
  std::map<Component, WantedPin> components;  ///< torch at least; companions that are not here are looked up
  /// Where the network may be asked for tags; nothing: the copies at hand alone are looked at.
  std::optional<source::NetworkOptions> network{};
};

struct ResolvedPins {
  std::vector<NewPin> pins;
  std::vector<OpenCompanion> open;
};

/// Returns what the catalog says of a component in `like`, or in its newest release that has it, or null.
const ComponentPin* pin_before(const Catalog& catalog, const Release& like, Component component);

/// Looks for tags and tables in the repositories of `source`; for tags upstream is asked instead where the network may
/// be used. Raises usage where no release of the catalog has a component that is asked for; source where the tag of
/// what is asked for is nowhere or is not the same everywhere; and as tags_of_copies, tags_of_upstream, find_companion.
ResolvedPins resolve_pins(const Catalog& catalog, const Release& like, const WantedPins& wanted,
                          const source::ObjectSource& source, int jobs, Console& console);

}  // namespace torchpatch::upkeep
