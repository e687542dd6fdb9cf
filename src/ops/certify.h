// SPDX-License-Identifier: BSD-3-Clause
/// patch certify and results record: the commands that write recorded data from real sources.
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"
#include "source/object_source.h"
#include "support/console.h"

namespace torchpatch::ops {

struct CertifyOptions {
  std::string directory;              ///< catalog directory to write into (a layer)
  std::vector<std::string> releases;  ///< empty = every release of the catalog
  int jobs = 1;
};

/// Writes patchsets/<id>/certificates/<release>.json below options.directory: an edge for every chain that some board,
/// image and flag of the release reaches, for each fitting variant alone, and for those that meet in a file together
/// (where these do not apply, that is a warning). Returns the files written. Raises patch, naming everything that does
/// not apply, and writes nothing then; source where objects that patches touch are nowhere: of a release that was asked
/// for by name, or of all; else the release is left out with a warning.
std::vector<std::string> certify_patches(const Catalog& catalog, source::ObjectSource& source,
                                         const CertifyOptions& options, Console& console);

/// Writes results/<release>.json below options.directory: plan digest → trees for every certified (release, board,
/// image). Returns the files written.
std::vector<std::string> record_results(const Catalog& catalog, source::ObjectSource& source,
                                        const CertifyOptions& options, Console& console);

}  // namespace torchpatch::ops
