// SPDX-License-Identifier: BSD-3-Clause
/// The options of commands that bring whole releases: --version, --component, --board, --image.
#pragma once

#include <string>
#include <vector>

#include "cli/option_set.h"
#include "ops/keep/release_closures.h"

namespace torchpatch::cli {

struct ChoiceLine {
  std::vector<std::string> versions, components;
  std::string board, image;
};

void declare_choice_options(OptionSet& options, ChoiceLine& target);

/// Raises usage: an unknown component, an image without a board.
ops::ReleaseChoice choice_from(const ChoiceLine& line);

}  // namespace torchpatch::cli
