// SPDX-License-Identifier: BSD-3-Clause
/// release add: a release file by the one of an older release and the sources of the new pins.
#pragma once

#include <string>

#include "model/catalog.h"
#include "model/release_draft.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "upkeep/release/resolve_pins.h"

namespace torchpatch::upkeep {

struct AddReleaseOptions {
  std::string version;
  std::string like;  ///< empty: the newest release of the catalog before it
  WantedPins pins;
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
