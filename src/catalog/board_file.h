// SPDX-License-Identifier: BSD-3-Clause
/// boards/<id>.json (docs/formats.md).
#pragma once

#include <string>

#include "catalog/data_file.h"
#include "model/board.h"

namespace torchpatch::catalog {

/// Returns the board; what is wrong with it is findings. `stem`: the file's name without .json.
Entry<Board> read_board(const DataFile& file, const std::string& stem, Findings& findings);

}  // namespace torchpatch::catalog
