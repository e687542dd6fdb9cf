// SPDX-License-Identifier: BSD-3-Clause
/// Which variables of the environment a file reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::upkeep {

struct ReadVariable {
  std::string name;
  std::size_t line = 0;  ///< from 1
};

/// Returns what the lines of a file read, in order, perhaps one name at several lines: by getenv, os.environ and their
/// likes, $ENV{X}, DEFINED ENV{X} and `PATHS ENV X` of CMake; CMake's options USE_X and BUILD_X, which torch's build
/// takes from the environment; and names alone in quotes, as in the table of those that it passes on. Comments and what
/// sets a variable read nothing.
std::vector<ReadVariable> variables_read(const std::vector<std::string>& lines, std::string_view file);

}  // namespace torchpatch::upkeep
