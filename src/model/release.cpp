// SPDX-License-Identifier: BSD-3-Clause
#include "model/release.h"

namespace torchpatch {

const ComponentPin* Release::find(Component component) const {
  const auto found = components.find(component);
  return found == components.end() ? nullptr : &found->second;
}

}  // namespace torchpatch
