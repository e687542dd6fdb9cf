// SPDX-License-Identifier: BSD-3-Clause
/// The options that decide a plan, shared by prepare and explain.
#pragma once

#include <string>
#include <vector>

#include "cli/catalog_options.h"
#include "cli/option_set.h"
#include "model/plan.h"

namespace torchpatch::cli {

struct PlanLine {
  CatalogOptions catalog;
  std::string version, board, image, host;
  std::vector<std::string> components, with_fixes, without_fixes, settings;
  bool force = false, unpatched = false;
};

/// `need`: whether --version and --board must be given.
void declare_plan_options(OptionSet& options, PlanLine& target, Need need);

/// True where an option is given that chooses a plan: --catalog is one, --source alone is none.
bool chooses_plan(const PlanLine& line);
/// Returns what is missing of "--version VERSION, --board BOARD", or empty text.
std::string missing_of_pair(const PlanLine& line);

/// Adds the KEY=VALUE of --set. Raises usage where it has not that form, or the key is there already.
void add_setting(const std::string& text, PlanOptions& options);

/// Raises usage: a component or a setting of the wrong form, and everything make_plan raises. The plan points into
/// `catalog`.
Plan plan_from(const PlanLine& line, const Catalog& catalog);

}  // namespace torchpatch::cli
