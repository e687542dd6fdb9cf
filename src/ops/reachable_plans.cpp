// SPDX-License-Identifier: BSD-3-Clause
#include "ops/reachable_plans.h"

#include "plan/make_plan.h"
#include "support/error.h"

namespace torchpatch::ops {

namespace {

/// The settings that change which patches apply without changing the board.
const std::vector<std::map<std::string, std::string>>& flag_settings() {
  static const std::vector<std::map<std::string, std::string>> settings = {
      {}, {{"cross", "true"}}, {{"distributed", "false"}}, {{"cross", "true"}, {"distributed", "false"}}};
  return settings;
}

}  // namespace

std::vector<Plan> reachable_plans(const Catalog& catalog, const Release& release) {
  std::vector<Plan> plans;
  for (const auto& [id, board] : catalog.boards) {
    for (const Image& image : board.images) {
      for (const auto& settings : flag_settings()) {
        PlanOptions options;
        options.settings = settings;
        try {
          plans.push_back(plan::make_plan(catalog, release.version.text(), id, image.id, options));
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::usage) throw;  // usage: this release does not fit this image
        }
      }
    }
  }
  return plans;
}

}  // namespace torchpatch::ops
