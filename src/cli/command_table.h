// SPDX-License-Identifier: BSD-3-Clause
/// The commands, in the order in which help lists them.
#pragma once

#include <vector>

#include "cli/command.h"

namespace torchpatch::cli {

const std::vector<Command>& command_table();

}  // namespace torchpatch::cli
