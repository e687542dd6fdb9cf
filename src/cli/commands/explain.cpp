// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "report/show.h"

namespace torchpatch::cli {
namespace {

struct ExplainLine {
  PlanLine plan;
  bool json = false;
};

int explain(const ExplainLine& line, Context& context) {
  const Catalog catalog = load_catalog(line.plan.catalog, context.environment);
  const Plan plan = plan_from(line.plan, catalog);
  print(context, report::plan_report(plan, line.json ? report::Format::json : report::Format::text));
  return kDone;
}

Action declare_explain(OptionSet& options) {
  const auto line = std::make_shared<ExplainLine>();
  declare_plan_options(options, line->plan, Need::required);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return explain(*line, context); };
}

}  // namespace

Command explain_command() {
  return {.name = "explain",
          .summary = "say why each known issue does or does not apply",
          .details =
              "Prints the plan that prepare would follow: every known issue with the reason why it applies or not, "
              "the patches in order, and the variables of the build. Reads the catalog only, no sources.",
          .examples = {"torchpatch explain --version 1.1.0 --board tx2",
                       "torchpatch explain --version 1.1.0 --board tx2 --set gcc=7.5 --json"},
          .declare = declare_explain};
}

}  // namespace torchpatch::cli
