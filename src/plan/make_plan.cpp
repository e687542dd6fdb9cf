// SPDX-License-Identifier: BSD-3-Clause
#include "plan/make_plan.h"

#include <algorithm>

#include "plan/build_host.h"
#include "plan/digest.h"
#include "plan/fix_choice.h"
#include "plan/image_choice.h"
#include "plan/patch_plan.h"
#include "plan/settings.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

std::vector<Component> choose_components(const Release& release, const PlanOptions& options) {
  std::vector<Component> components;
  for (const auto& [component, pin] : release.components) {
    if (options.components.empty() || options.components.count(component) > 0) {
      components.push_back(component);
    }
  }
  for (const Component component : options.components) {
    if (release.find(component) == nullptr) {
      throw Error(ErrorKind::usage, concat("release ", release.version.text(), " has no ", component_name(component)),
                  join(release.notes, "; "));
    }
  }
  return components;
}

void add_step(const FixChoice& choice, Plan& plan) {
  if (choice.fix != nullptr && !choice.fix->commands.empty()) {
    const bool after_wheel = choice.fix->kind == FixKind::files;
    plan.steps.push_back({choice.issue->id, choice.fix->id, after_wheel, choice.fix->commands});
  }
}

}  // namespace

Plan make_plan(const Catalog& catalog, const std::string& version, const std::string& board, const std::string& image,
               const PlanOptions& options) {
  Plan plan;
  plan.release = &catalog.release(version);
  plan.board = &catalog.board(board);
  plan.options = options;
  plan.components = choose_components(*plan.release, options);
  check_fix_options(catalog, options);

  ImageChoice chosen = choose_image(*plan.release, *plan.board, image, options, plan.components);
  plan.image = chosen.image;
  plan.python = std::move(chosen.python);
  plan.facts = std::move(chosen.facts);
  plan.warnings = std::move(chosen.warnings);

  plan_host(catalog, plan);
  std::vector<FixChoice> choices = choose_fixes(catalog, *plan.release, plan.facts, options);
  plan_patches(catalog, choices, plan);
  plan_environment(choices, plan);
  for (const FixChoice& choice : choices) {
    add_step(choice, plan);
    plan.issues.push_back(choice.decision);
  }
  const std::vector<std::string> warnings = choice_warnings(choices, options);
  plan.warnings.insert(plan.warnings.end(), warnings.begin(), warnings.end());
  plan.digest = plan_digest(plan);
  return plan;
}

}  // namespace torchpatch::plan
