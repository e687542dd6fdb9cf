// SPDX-License-Identifier: BSD-3-Clause
/// What --help prints.
#pragma once

#include <string>

#include "cli/description.h"

namespace torchpatch::cli {

std::string program_help(const ProgramDescription& program);
std::string command_help(const CommandDescription& command);

}  // namespace torchpatch::cli
