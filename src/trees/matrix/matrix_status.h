// SPDX-License-Identifier: BSD-3-Clause
/// `matrix status`: what the jobs of a matrix said of themselves.
#pragma once

#include <cstdint>
#include <string>

#include "model/matrix.h"

namespace torchpatch::trees {

/// Returns what became of each pair of the matrix in `directory`, by the reports (pair.json) anywhere below `results`;
/// the newest counts. A pair without one is waiting; one whose report cannot be read has failed, and so has one that
/// has run for longer than its job may, `now` being the seconds since 1970. Raises environment where matrix.json cannot
/// be read, data where it is malformed.
MatrixStatus matrix_status(const std::string& directory, const std::string& results, std::int64_t now);

}  // namespace torchpatch::trees
