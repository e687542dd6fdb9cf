// SPDX-License-Identifier: BSD-3-Clause
#include "cli/choice_options.h"

#include "cli/component_option.h"
#include "support/error.h"

namespace torchpatch::cli {

void declare_choice_options(OptionSet& options, ChoiceLine& target) {
  options.values("--version", target.versions, "VERSION", "PyTorch version to bring, such as 1.1.0; may be repeated",
                 Need::required);
  declare_component_option(options, target.components);
  options.value("--board", target.board, "BOARD",
                "only what this board needs; default: what any board may need, where some take other submodules");
  options.value("--image", target.image, "IMAGE", "system software of the board; default: what the board names");
}

ops::ReleaseChoice choice_from(const ChoiceLine& line) {
  if (!line.image.empty() && line.board.empty()) {
    throw Error(ErrorKind::usage, "--image needs --board", "an image is one of a board");
  }
  return {line.versions, components_from(line.components), line.board, line.image};
}

}  // namespace torchpatch::cli
