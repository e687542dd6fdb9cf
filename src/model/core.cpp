// SPDX-License-Identifier: BSD-3-Clause
#include "model/core.h"

#include <algorithm>

#include "support/find.h"
#include "support/text.h"

namespace torchpatch {

const Core* CoreTable::find(std::string_view name) const {
  return find_where(cores,
                    [&](const Core& core) { return core.id == name || std::ranges::count(core.aliases, name) > 0; });
}

void check_fields(ObjectReader& object, const Core& core) {
  if (!core.flags.empty() && core.flags.back().gcc.text() != "*")
    object.report("flags", "must end with flags for any gcc: \"*\"");
}

void check_fields(ObjectReader& object, const CoreTable& table) {
  for (std::size_t i = 0; i < table.cores.size(); ++i) {
    const Core& core = table.cores[i];
    const auto is_other = [&](const std::string& name) { return table.find(name) != &core; };
    if (is_other(core.id) || std::ranges::any_of(core.aliases, is_other))
      object.report(concat("cores[", i, "].id"), concat(quote(core.id), " or an alias of it is there twice"));
  }
}

}  // namespace torchpatch
