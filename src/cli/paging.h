// SPDX-License-Identifier: BSD-3-Clause
/// Long results on a terminal.
#pragma once

#include <string>

#include "cli/command.h"

namespace torchpatch::cli {

/// Prints `text` through the user's pager (support/pager.h) where stdout is a terminal, else as it is.
void print_paged(Context& context, const std::string& text);

}  // namespace torchpatch::cli
