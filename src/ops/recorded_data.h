// SPDX-License-Identifier: BSD-3-Clause
/// What the commands that write recorded data have in common (internal).
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"

namespace torchpatch::ops {

/// Returns the releases of these names, or all. Raises usage as Catalog::release.
std::vector<const Release*> chosen_releases(const Catalog& catalog, const std::vector<std::string>& names);

/// Writes a file with its directories; returns its path. Raises environment.
std::string write_recorded(const std::string& path, const std::string& bytes);

}  // namespace torchpatch::ops
