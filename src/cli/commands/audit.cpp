// SPDX-License-Identifier: BSD-3-Clause
#include "ops/audit.h"

#include <memory>

#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/job_options.h"
#include "cli/plan_options.h"
#include "cli/source_options.h"
#include "support/error.h"

namespace torchpatch::cli {
namespace {

constexpr int kMaxContext = 100'000;

struct AuditLine {
  PlanLine plan;
  SourceOptions source;
  ops::AuditOptions options;
  std::string format;
  bool json = false;
};

std::string report_text(const emit::AuditReport& report, const AuditLine& line) {
  if (line.format == "markdown") return emit::audit_markdown(report);
  if (line.format == "sarif") return emit::audit_sarif(report);
  return emit::audit_report(report, line.json ? emit::Format::json : emit::Format::text);
}

int audit(const AuditLine& line, Context& context) {
  check_source_options(line.source, line.plan.catalog.source);
  if (line.json && !line.format.empty()) {
    throw Error(ErrorKind::usage, "--json and --format exclude each other", "leave one of them out");
  }
  const Catalog catalog = load_catalog(line.plan.catalog, context.environment);
  const Plan plan = plan_from(line.plan, catalog);
  OpenSource source;
  if (!line.source.mirrors.empty() || !line.plan.catalog.source.empty()) {
    source = open_source(line.source, line.plan.catalog.source, context.environment, context.console,
                         {plan.release->version.text()});
  }
  const emit::AuditReport report = ops::audit(plan, catalog, source.objects.get(), line.options, context.console);
  print(context, report_text(report, line));
  return kDone;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<AuditLine>();
  declare_plan_options(options, line->plan, Need::required);
  options.values("--mirror", line->source.mirrors, "DIR",
                 "show the changes in the pinned files, read from the git repositories below DIR; may be repeated");
  options.number("--context", line->options.context, kMaxContext,
                 "unchanged lines around a change, where there are sources; default: 10");
  declare_jobs(options, line->options.jobs);
  options.choice("--format", line->format, {"text", "markdown", "sarif"}, "form of the report; default: text");
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return audit(*line, context); };
}

}  // namespace

Command audit_command() {
  return {.name = "audit",
          .summary = "show every changed line with its issue, certificate, proof and risks",
          .details =
              "What a reviewer reads before he signs off the patches of a plan: of each its header, the issues that it "
              "answers, whether it is certified and proven, which other patches change the same files, what to look at "
              "twice (files that run at build time, network calls, modes, links, binary or generated content, "
              "characters that do not show, blanks, hunks that the description does not explain), and the changes "
              "themselves. With --mirror or --source they stand in the pinned files, ten lines around or as many as "
              "--context says. The digest is "
              "that of the whole report.",
          .examples = {"torchpatch audit --version 1.1.0 --board tx2 --mirror ~/mirrors | less",
                       "torchpatch audit --version 1.1.0 --board tx2 --mirror ~/mirrors --format markdown >audit.md"},
          .declare = declare};
}

}  // namespace torchpatch::cli
