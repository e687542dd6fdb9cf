// SPDX-License-Identifier: BSD-3-Clause
/// Reads every object of repositories that are kept, and checks each against its id.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/console.h"

namespace torchpatch::source {

struct CheckedRepository {
  std::uint64_t objects = 0;          ///< that were read and are what they are called
  std::vector<std::string> problems;  ///< what is not, up to kMostProblems
};

/// Most problems that are told of one repository.
inline constexpr std::size_t kMostProblems = 100;

/// Checks every object in packs and loose, and that every commit that is referenced is there whole. In worker
/// processes; where one dies of what it reads, that is a problem of the repository.
std::vector<CheckedRepository> check_repositories(const std::vector<std::string>& repositories, int jobs,
                                                  Console& console);

}  // namespace torchpatch::source
