// SPDX-License-Identifier: BSD-3-Clause
/// What commands of build scripts are for, by their names.
#pragma once

#include <string_view>
#include <vector>

#include "trees/flags/shell_words.h"

namespace torchpatch::trees {

using ShellCommand = std::vector<ShellToken>;

/// Whether it builds nothing and does not care for the variables of a build.
bool is_harmless_command(std::string_view program);
/// Whether `&&` after it is a condition rather than a sequence.
bool is_test_command(std::string_view program);
bool is_shell(std::string_view program);
/// Whether it runs a shell somewhere else, which reads its commands from stdin.
bool is_remote_shell(std::string_view program);
/// Whether the command that it runs is in its arguments, as of sudo and env.
bool is_wrapper(std::string_view program);

/// Whether a command, whose program is words[at], builds something, or runs a script that may.
bool is_building_command(const ShellCommand& words, std::size_t at);

}  // namespace torchpatch::trees
