// SPDX-License-Identifier: BSD-3-Clause
/// Manual pages (man(7) macros), made of the description of the command line.
#pragma once

#include <string>

#include "cli/description.h"

namespace torchpatch::cli {

/// Returns the page's file name: "torchpatch-patch-certify.1".
std::string man_page_name(const CommandDescription& command);
/// torchpatch(1).
std::string program_man_page(const ProgramDescription& program);
/// torchpatch-COMMAND(1).
std::string command_man_page(const CommandDescription& command, const std::string& version);

}  // namespace torchpatch::cli
