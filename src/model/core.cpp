// SPDX-License-Identifier: BSD-3-Clause
#include "model/core.h"

#include <algorithm>

#include "support/find.h"

namespace torchpatch {

const Core* CoreTable::find(std::string_view name) const {
  return find_where(cores,
                    [&](const Core& core) { return core.id == name || std::ranges::count(core.aliases, name) > 0; });
}

}  // namespace torchpatch
