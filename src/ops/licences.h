// SPDX-License-Identifier: BSD-3-Clause
/// The licence files at the roots of the repositories, as they stand in OUT: prepare notes what they state, verify
/// looks again.
#pragma once

#include <string>
#include <vector>

#include "emit/run/reports.h"
#include "model/manifest.h"
#include "source/object_source.h"
#include "support/console.h"
#include "tree/scan.h"
#include "tree/write_files.h"

namespace torchpatch::ops {

/// Notes in manifest.repositories the licence files among `files`, the files of OUT. Raises source where one cannot be
/// read.
void describe_licences(const std::vector<tree::FileToWrite>& files, source::ObjectSource& source, Manifest& manifest,
                       Console& console);

/// Compares what the licence files among `scanned`, below `root`, state with what the manifest says of them.
std::vector<emit::Difference> check_licences(const std::string& root, const std::vector<tree::ScannedEntry>& scanned,
                                             const Manifest& manifest);

}  // namespace torchpatch::ops
