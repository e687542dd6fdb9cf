// SPDX-License-Identifier: BSD-3-Clause
/// port: carries the patchsets of a release to the next one.
#pragma once

#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "model/port.h"
#include "ops/author/patch_work.h"
#include "source/closure/object_source.h"
#include "support/console.h"

namespace torchpatch::ops {

/// What port was asked for; with conflicts it lies in the work directory, as torchpatch-port.json.
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
template <typename Fields>
void fields(Fields& f, PortRequest& request) {
  f.schema(1);
  f("version", request.version);
  f("patchsets", request.patchsets);
  f("from", request.from);
  f("keep_going", request.keeps_going);
  f("skipped", request.skipped);
  f("waiting", request.waiting);
  f("has_written", request.has_written);
  f("origin", request.origin);
}

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

/// Returns the request that a work directory was made for. Raises environment where it is none.
PortRequest read_port_request(const std::string& work);
/// Leaves the first patchset out that waits for a person, from now on, one whose conflict is not settled before one
/// where it is; returns its id. Raises as above, usage where there is none.
std::string skip_in_port(const std::string& work);
/// Removes what port wrote into a work directory, and the directory where nothing else is in it; returns whether the
/// catalog has some of what was done (--keep-going). Raises as read_port_request.
bool abort_port(const std::string& work);

}  // namespace torchpatch::ops
