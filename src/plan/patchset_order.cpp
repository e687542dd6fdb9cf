// SPDX-License-Identifier: BSD-3-Clause
#include "plan/patchset_order.h"

#include <algorithm>

namespace torchpatch::plan {

namespace {

bool waits_for_none_of(const Patchset& patchset, const std::set<std::string>& ids) {
  return std::none_of(patchset.after.begin(), patchset.after.end(),
                      [&](const std::string& earlier) { return ids.count(earlier) > 0; });
}

}  // namespace

std::vector<std::string> order_patchsets(const Catalog& catalog, std::set<std::string> ids) {
  std::vector<std::string> order;
  while (!ids.empty()) {
    auto next = std::find_if(ids.begin(), ids.end(),
                             [&](const std::string& id) { return waits_for_none_of(catalog.patchsets.at(id), ids); });
    if (next == ids.end()) {
      next = ids.begin();
    }
    order.push_back(*next);
    ids.erase(next);
  }
  return order;
}

}  // namespace torchpatch::plan
