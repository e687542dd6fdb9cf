// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "support/file.h"
#include "support/text.h"
#include "trees/flags/flags.h"

namespace torchpatch::cli {

namespace {

struct FlagsLine {
  PlanLine plan;
  std::vector<std::string> names;
  std::string script;
  bool json = false;

  void declare(OptionSet& options) {
    options.arguments("NAME", names, "variables to look up; default: every one that the release reads");
    options.value("--version", plan.version, "VERSION", "PyTorch version, such as 1.1.0; with --board also newest",
                  Need::required);
    options.value("--check", script, "FILE", "compare what a shell script, Dockerfile or env file sets with it");
    options.value("--board", plan.board, "BOARD", "with --check: also compare with what the plan for this board sets");
    options.value("--image", plan.image, "IMAGE", "system software of the board; default: what the board names");
    declare_catalog_options(options, plan.catalog);
    options.flag("--json", json, "print JSON");
  }

  const Release& release_of_line(const Catalog& catalog, Context& context) const {
    return catalog.release(settle_version(plan.version, plan.board, plan.image, {}, catalog, context.console));
  }

  int check_script(const Catalog& catalog, Context& context) const {
    std::optional<Plan> made;
    if (!plan.board.empty()) made = plan_from(plan, catalog, context.console);
    const Release& release = made ? *made->release : release_of_line(catalog, context);
    const FlagCheckReport report =
        trees::check_flags(catalog, release, made ? &*made : nullptr, script, read_file(script, trees::kMaxScript));
    print_result(context, json, report, report::flag_check_document(report));
    return report.findings.empty() ? kDone : kFindings;
  }

  int run(Context& context) const {
    exclude({"NAME", !names.empty()}, {"--check", !script.empty()});
    if (script.empty() && !(plan.board.empty() && plan.image.empty()))
      throw usage_of("flags", "--board and --image go with --check");
    if (plan.board.empty() && !plan.image.empty()) throw usage_of("flags", "--image needs --board");
    const Catalog catalog = load_catalog(plan.catalog, context.environment);
    if (!script.empty()) return check_script(catalog, context);
    const FlagsReport report = trees::flags(catalog, release_of_line(catalog, context), names);
    print_result(context, json, report, report::flags_document(report));
    const bool are_read = std::ranges::all_of(report.flags, [](const FlagFact& flag) { return !flag.read_at.empty(); });
    return are_read ? kDone : kFindings;
  }
};

}  // namespace

Command flags_command() { return {.name = "flags", .declare = declare_line<FlagsLine>}; }

}  // namespace torchpatch::cli
