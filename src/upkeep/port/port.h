// SPDX-License-Identifier: BSD-3-Clause
/// port: carries the patchsets of a release to the next one.
#pragma once

#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "model/port.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "upkeep/port/port_request.h"

namespace torchpatch::upkeep {

struct PortOptions {
  std::string work;             ///< directory for what a person has to settle
  bool continues = false;       ///< what is settled there is taken
  bool drops_removed = false;   ///< of files that upstream removed
  bool takes_upstream = false;  ///< what upstream seems to have is upstream's, though no proof says so
  std::string today;            ///< "2026-11-25"
  int jobs = 1;
};

/// Carries patchsets to a release of the catalog, with all gates, and changes the catalog at the end: all of it, or
/// nothing where a patchset is left for a person (unless the request keeps going). Raises usage for names that the
/// catalog does not have and a variant that is for the release already; environment for a work directory that is in use
/// or has something else in it; source, patch.
PortReport port_patchsets(const PortRequest& request, const PortOptions& options, const Catalog& catalog,
                          const std::vector<catalog::Layer>& layers, source::ObjectSource& source, Console& console);

}  // namespace torchpatch::upkeep
