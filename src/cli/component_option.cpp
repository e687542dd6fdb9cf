// SPDX-License-Identifier: BSD-3-Clause
#include "cli/component_option.h"

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::cli {

void declare_component_option(OptionSet& options, std::vector<std::string>& target) {
  options.values("--component", target, "COMPONENT",
                 "torch, vision or audio; may be repeated; default: all of the release");
}

std::vector<Component> components_from(const std::vector<std::string>& names) {
  std::vector<Component> components;
  for (const std::string& name : names) {
    const auto component = parse_component(name);
    if (!component) {
      throw Error(ErrorKind::usage, concat("unknown component ", quote(name), ": there are torch, vision and audio"),
                  did_you_mean(name, {"torch", "vision", "audio"}));
    }
    components.push_back(*component);
  }
  return components;
}

}  // namespace torchpatch::cli
