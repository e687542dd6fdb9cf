// SPDX-License-Identifier: BSD-3-Clause
/// What recipe wrote or compared.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace torchpatch {

struct RecipeReport {
  std::string directory;  ///< as given
  std::size_t files = 0;
  bool is_written = false;             ///< else compared
  std::vector<std::string> different;  ///< names of files that are not what would be written
};

}  // namespace torchpatch
