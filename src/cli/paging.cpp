// SPDX-License-Identifier: BSD-3-Clause
#include "cli/paging.h"

#include "support/pager.h"

namespace torchpatch::cli {

void print_paged(Context& context, const std::string& text) {
  if (context.environment.out_is_terminal && context.environment.variable("TERM") != "dumb") {
    const auto pager = find_pager(context.environment.variables);
    if (pager && run_pager(*pager, text)) return;
  }
  print(context, text);
}

}  // namespace torchpatch::cli
