// SPDX-License-Identifier: BSD-3-Clause
/// Unpacks a bundle, and finds everything that is wrong with it (internal to ops/keep).
#pragma once

#include <string>
#include <vector>

#include "ops/keep/bundle_file.h"
#include "support/console.h"

namespace torchpatch::ops {

/// Writes the bundle's repositories to `<directory>/git`, where nothing is yet, and returns what is wrong with them, in
/// the order of the index: packs that are not the ones of the index, damaged objects, commits that are not whole,
/// objects and commits that nothing needs, releases that lack something. Packs are read in worker processes. Raises
/// environment.
std::vector<std::string> read_bundle(const BundleFile& bundle, const std::string& directory, int jobs,
                                     Console& console);

}  // namespace torchpatch::ops
