// SPDX-License-Identifier: BSD-3-Clause
/// releases/<version>.json (docs/formats.md).
#pragma once

#include <string>
#include <vector>

#include "catalog/data_file.h"
#include "model/release.h"

namespace torchpatch::catalog {

/// Returns the release; what is wrong with it is findings. `stem`: the file's name without .json.
Entry<Release> read_release(const DataFile& file, const std::string& stem, Findings& findings);

// moved_repositories.json (docs/formats.md).

/// Returns the table in file order; what is wrong with it is findings.
std::vector<MovedRepository> read_moved_repositories(const DataFile& file, Findings& findings);

// variables.json (docs/formats.md).
VariableTable read_variables(const DataFile& file, Findings& findings);

}  // namespace torchpatch::catalog
