// SPDX-License-Identifier: BSD-3-Clause
#include "cli/plan_options.h"

#include "cli/component_option.h"
#include "plan/make_plan.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::cli {

void add_setting(const std::string& text, PlanOptions& options) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ErrorKind::usage, concat("--set ", quote(text), " is not of the form KEY=VALUE"),
                "a lower-case key sets a fact (gcc=7.5), an upper-case one a variable of the build (USE_OPENCV=1)");
  }
  const auto [entry, is_new] = options.settings.emplace(text.substr(0, equals), text.substr(equals + 1));
  if (!is_new) throw Error(ErrorKind::usage, concat("--set ", entry->first, " is given twice"));
}

void declare_plan_options(OptionSet& options, PlanLine& target, Need need) {
  options.value("--version", target.version, "VERSION", "PyTorch version to prepare, such as 1.1.0", need);
  options.value("--board", target.board, "BOARD", "board to prepare for, such as tx2", need);
  options.value("--image", target.image, "IMAGE", "system software of the board; default: what the board names");
  options.value("--host", target.host, "BOARD",
                "machine that builds, such as graviton2 or graviton2:ubuntu-18.04; default: the board itself");
  declare_component_option(options, target.components);
  options.values("--with", target.with_fixes, "FIX", "use this fix for its issue; may be repeated");
  options.values("--without", target.without_fixes, "FIX", "leave this fix out; may be repeated");
  options.values("--set", target.settings, "KEY=VALUE",
                 "set a fact (gcc=7.5) or a variable of the build (USE_OPENCV=1); may be repeated");
  options.flag("--force", target.force, "go on where the version and the board do not fit together");
  options.flag("--unpatched", target.unpatched, "the pinned tree as it is: no patch, no added file");
  declare_catalog_options(options, target.catalog);
}

bool chooses_plan(const PlanLine& line) {
  return !line.version.empty() || !line.board.empty() || !line.image.empty() || !line.host.empty() ||
         !line.components.empty() || !line.with_fixes.empty() || !line.without_fixes.empty() ||
         !line.settings.empty() || !line.catalog.catalogs.empty() || line.force || line.unpatched;
}

std::string missing_of_pair(const PlanLine& line) {
  std::vector<std::string> missing;
  if (line.version.empty()) missing.push_back("--version VERSION");
  if (line.board.empty()) missing.push_back("--board BOARD");
  return join(missing, ", ");
}

Plan plan_from(const PlanLine& line, const Catalog& catalog) {
  PlanOptions options;
  const std::vector<Component> components = components_from(line.components);
  options.components = {components.begin(), components.end()};
  options.with_fixes = {line.with_fixes.begin(), line.with_fixes.end()};
  options.without_fixes = {line.without_fixes.begin(), line.without_fixes.end()};
  for (const std::string& setting : line.settings) add_setting(setting, options);
  options.host = line.host;
  options.force = line.force;
  options.unpatched = line.unpatched;
  return plan::make_plan(catalog, line.version, line.board, line.image, options);
}

}  // namespace torchpatch::cli
