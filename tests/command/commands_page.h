// SPDX-License-Identifier: BSD-3-Clause
/// docs/commands.md, made of the description of the command line.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace torchpatch::test {

std::string commands_page(const std::vector<cli::Command>& program);

}  // namespace torchpatch::test
