// SPDX-License-Identifier: BSD-3-Clause
/// Checks that every figure of a data file has a source.
#pragma once

#include <string>
#include <vector>

#include "model/release.h"
#include "support/json.h"

namespace torchpatch::catalog {

/// Adds a finding for every figure of the file that no note covers, and for every key of a note that names nothing in
/// the file. `figures` are patterns of key paths, "*" standing for any name: "images.*.glibc". An element of a list
/// goes by its id. A key covers what lies below it.
void check_figures(const Json& root, const std::string& file, const std::vector<SourceNote>& notes,
                   const std::vector<std::string>& figures, Findings& findings);

}  // namespace torchpatch::catalog
