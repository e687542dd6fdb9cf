// SPDX-License-Identifier: BSD-3-Clause
/// Completion scripts for shells, made of the description of the command line.
#pragma once

#include <string>

#include "cli/help.h"

namespace torchpatch::cli {

std::string bash_completion(const ProgramDescription& program);
std::string zsh_completion(const ProgramDescription& program);
std::string fish_completion(const ProgramDescription& program);

/// What completes the value of an option, by its metavar.
enum class ValueKind { none, directory, file, choice, catalog_entry };
ValueKind value_kind(const OptionDescription& option);
/// The KIND of `torchpatch list` whose names complete the value: "releases", "boards".
std::string catalog_kind(const OptionDescription& option);

}  // namespace torchpatch::cli
