// SPDX-License-Identifier: BSD-3-Clause
/// The licence files at the roots of the repositories, as they stand in OUT: prepare notes what they state, verify
/// looks again.
#pragma once

#include <string>
#include <vector>

#include "emit/run/reports.h"
#include "model/manifest.h"
#include "tree/scan.h"
#include "tree/write_files.h"

namespace torchpatch::ops {

/// Notes in manifest.repositories the licence files among `files`, which were `written` below `root`.
void describe_licences(const std::string& root, const std::vector<tree::FileToWrite>& files,
                       const std::vector<tree::WrittenFile>& written, Manifest& manifest);

/// Compares what the licence files among `scanned`, below `root`, state with what the manifest says of them.
std::vector<emit::Difference> check_licences(const std::string& root, const std::vector<tree::ScannedEntry>& scanned,
                                             const Manifest& manifest);

}  // namespace torchpatch::ops
