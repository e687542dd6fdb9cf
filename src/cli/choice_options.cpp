// SPDX-License-Identifier: BSD-3-Clause
#include "cli/choice_options.h"

#include "cli/plan_options.h"
#include "support/error.h"

namespace torchpatch::cli {

void declare_choice_options(OptionSet& options, ChoiceLine& target) {
  options.values("--version", target.versions, "VERSION", "PyTorch version to bring, such as 1.1.0; may be repeated");
  options.values("--component", target.components, "COMPONENT",
                 "torch, vision or audio; may be repeated; default: all of the release");
  options.value("--board", target.board, "BOARD",
                "only what this board needs; default: what any board may need, where some take other submodules");
  options.value("--image", target.image, "IMAGE", "system software of the board; default: what the board names");
}

ops::ReleaseChoice choice_from(const ChoiceLine& line) {
  if (line.versions.empty()) throw Error(ErrorKind::usage, "missing: --version VERSION");
  if (!line.image.empty() && line.board.empty()) {
    throw Error(ErrorKind::usage, "--image needs --board", "an image is one of a board");
  }
  ops::ReleaseChoice choice{line.versions, {}, line.board, line.image};
  for (const std::string& name : line.components) choice.components.push_back(component_from(name));
  return choice;
}

}  // namespace torchpatch::cli
