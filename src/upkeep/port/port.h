// SPDX-License-Identifier: BSD-3-Clause
/// port: carries the patchsets of a release to the next one (port_patchsets), and what it was asked for and how far it
/// is: torchpatch-port.json of its work directory (PortRequest).
#pragma once

#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "model/catalog_changes.h"
#include "model/text_rules.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "support/json_fields.h"
#include "upkeep/edit/patch_work.h"

namespace torchpatch::upkeep {

/// With conflicts it lies in the work directory.
struct PortRequest {
  std::string version;
  std::vector<std::string> patchsets;  ///< empty: those with a variant for the release before whose issues go on
  std::string from;                    ///< variant to begin with; empty: the one of the release before
  bool keeps_going = false;            ///< past conflicts
  std::vector<std::string> skipped{};
  std::vector<std::string> waiting{};  ///< patchsets that are left to a person
  bool has_written = false;            ///< the catalog has what was done so far
  WorkOrigin origin;
};
FIELDS(PortRequest, ("schema", SchemaVersion{1}), version, patchsets, from, ("keep_going", self.keeps_going), skipped,
       ("waiting", self.waiting, kIdRule),  // --skip removes what they name
       ("has_written", self.has_written), origin)

/// Returns the request that a work directory was made for. Raises environment where it is none.
PortRequest read_port_request(const std::string& work);
/// Leaves the first patchset out that waits for a person, from now on, one whose conflict is not resolved before one
/// where it is; returns its id. Raises as above, usage where there is none.
std::string skip_in_port(const std::string& work);
/// Removes what port wrote into a work directory that has a request, and the directory where nothing else is in it;
/// returns whether the catalog has some of what was done (--keep-going). Raises as read_port_request.
bool abort_port(const std::string& work);

struct PortOptions {
  std::string work;             ///< directory for what a person has to resolve
  bool continues = false;       ///< what is resolved there is taken
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
