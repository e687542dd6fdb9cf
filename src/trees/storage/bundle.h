// SPDX-License-Identifier: BSD-3-Clause
/// bundle: every object of releases in one self-checking file, for a machine without a network. A plain tar of
/// index.json, index.json.sha256 and one pack a repository, in this order.
#pragma once

#include <string>

#include "model/keep.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "trees/storage/mirror.h"

namespace torchpatch::trees {

struct BundleOptions {
  ReleaseChoice choice;
  std::string output;
  bool replace = false;
  int jobs = 1;
};

/// Raises environment where the file is there and is not to be replaced, or its directory is not there: to be asked
/// before anything is read.
void check_bundle_output(const BundleOptions& options);

/// Writes the bundle of all closures of the choice; equal pins give equal bytes (with one version of zlib), wherever
/// objects come from. The file has its name only when it is whole. Raises as mirror() does.
MirrorReport create_bundle(const Catalog& catalog, const BundleOptions& options, source::ObjectSource& source,
                           Console& console);

/// Reads all of a bundle: every byte, every object, and whether everything that its releases need is there. Pins are
/// compared with the catalog's. Packs are unpacked into a private temporary directory. Raises environment alone: what
/// is wrong with the file is in the report.
BundleReport verify_bundle(const std::string& file, const Catalog& catalog, int jobs, Console& console);

/// Makes a mirror folder of a bundle, after the same checks but for those with the catalog; `output` must be absent or
/// empty, and appears when all of it is there. Raises data where the bundle is not what it says, environment.
MirrorReport unpack_bundle(const std::string& file, const std::string& output, int jobs, Console& console);

}  // namespace torchpatch::trees
