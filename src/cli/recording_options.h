// SPDX-License-Identifier: BSD-3-Clause
/// The options of the two commands that write recorded data: patch certify and results record.
#pragma once

#include <string>
#include <vector>

#include "cli/catalog_options.h"
#include "cli/command.h"
#include "cli/source_options.h"
#include "ops/certify.h"

namespace torchpatch::cli {

/// Writes recorded data and returns the files written: ops::certify_patches or ops::record_results.
using Recorder = std::vector<std::string> (*)(const Catalog&, source::ObjectSource&, const ops::CertifyOptions&,
                                              Console&);

/// Declares the options; the action calls `record` and prints the files, one a line.
Action declare_recording(OptionSet& options, Recorder record);

}  // namespace torchpatch::cli
