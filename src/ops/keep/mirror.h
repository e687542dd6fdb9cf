// SPDX-License-Identifier: BSD-3-Clause
/// mirror: every object of releases in one folder of bare repositories.
#pragma once

#include <optional>
#include <string>

#include "emit/keep/mirror_report.h"
#include "ops/keep/release_closures.h"
#include "source/network.h"
#include "source/object_source.h"

namespace torchpatch::ops {

struct MirrorOptions {
  ReleaseChoice choice;
  std::string output;
  int jobs = 1;
  std::optional<source::NetworkOptions> histories;  ///< the whole history of each repository is fetched as well
};

/// Brings the objects of all closures of the choice to "<output>/git/<host>/<path>.git". What is there already stays.
/// Raises as pinned_sets, source::read_closure, source::fill_repositories and source::fetch_histories do.
emit::MirrorReport mirror(const Catalog& catalog, const MirrorOptions& options, source::ObjectSource& source,
                          Console& console);

}  // namespace torchpatch::ops
