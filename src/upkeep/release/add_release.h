// SPDX-License-Identifier: BSD-3-Clause
/// release add: a release file by the one of an older release and the sources of the new pins (add_release).
#pragma once

#include <map>
#include <optional>
#include <string>

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

struct AddReleaseOptions {
  std::string version;
  std::string like;                       ///< empty: the newest release of the catalog before it
  std::map<Component, WantedPin> wanted;  ///< torch at least; companions that are not here are looked up
  /// Where the network may be asked for tags; nothing: the copies at hand alone are looked at.
  std::optional<source::NetworkOptions> network{};
  std::string directory;  ///< catalog directory to write into
  int jobs = 1;
};

/// Writes releases/<version>.json below options.directory: pins, dates, CMake's minimum, variables and modules at the
/// places that they moved to; what is carried over without having been derived is marked as not verified. A file that
/// is there with the same pins stays. Raises usage where the release is there otherwise or none is before it;
/// source where the pins or the files that are cited are nowhere, or tags do not say which commit is meant;
/// environment.
ReleaseDraft add_release(const Catalog& whole, const AddReleaseOptions& options, source::ObjectSource& source,
                         Console& console);

}  // namespace torchpatch::upkeep
