// SPDX-License-Identifier: BSD-3-Clause
#include "ops/check/check.h"

#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/source_options.h"
#include "support/error.h"
#include "support/text.h"
#include "report/check/check_report.h"

namespace torchpatch::cli {
namespace {

struct CheckLine {
  CatalogOptions catalog;
  SourceOptions source;
  ops::CheckOptions options;
  ReportOptions form;
};

std::string report_text(const CheckReport& report, const ReportOptions& form) {
  if (form.json) return report::check_json(report);
  if (form.format == "junit") return report::check_junit(report);
  if (form.format == "svg") return report::check_svg(report);
  if (form.format == "html") return report::check_html(report);
  return report::check_table(report);
}

CheckReport make_report(const CheckLine& line, Context& context) {
  const catalog::CheckedCatalog loaded =
      catalog::load_catalog_with_findings(catalog_layers(line.catalog, context.environment));
  if (!loaded.findings.empty()) {
    CheckReport report;
    report.findings = loaded.findings;
    return report;
  }
  const OpenSource source = open_named_source(line.source, line.catalog.source, context.environment, context.console);
  return ops::check(loaded.catalog, source.objects.get(), line.options, context.console);
}

int check(const CheckLine& line, Context& context) {
  check_source_options(line.source, line.catalog.source);
  check_report_options(line.form);
  const CheckReport report = make_report(line, context);
  print_report(context, line.form, report_text(report, line.form));
  if (!report.findings.empty() || count_cells(report).at(CellStatus::broken) > 0) return kFindings;
  if (report.missing.empty()) return kDone;
  throw Error(ErrorKind::source,
              concat("checking the catalog: ", report.missing.size(),
                     report.missing.size() == 1 ? " commit is" : " commits are", " not there; all else was checked"),
              "the report names them: name a folder that holds them with --mirror, or bring them into one with git");
}

Action declare_check(OptionSet& options) {
  const auto line = std::make_shared<CheckLine>();
  options.values("--mirror", line->source.mirrors, "DIR",
                 "apply the patches to the pinned files, read from the git repositories below DIR; may be repeated");
  options.values("--version", line->options.releases, "VERSION", "only this release; may be repeated");
  options.values("--board", line->options.boards, "BOARD", "only this board; may be repeated");
  declare_catalog_options(options, line->catalog);
  declare_jobs(options, line->options.jobs);
  declare_report_options(options, line->form, {"table", "junit", "svg", "html"});
  return [line](Context& context) { return check(*line, context); };
}

}  // namespace

Command check_command() {
  return {
      .name = "check",
      .summary = "check the whole catalog: every release, board and image",
      .details =
          "Checks the data and the form of every patch, plans every release for every board and image, and says for "
          "each issue: applied, environment, files, advice, not affected, fixed upstream, uncertified, broken or "
          "undecided. With --mirror or --source each patch is applied, in memory, to the pinned files and compared "
          "with its certificates; only files that patches touch are read. Exit code 1 where anything is broken or "
          "the data have errors, 4 where a commit is nowhere to be had.",
      .examples = {"torchpatch check", "torchpatch check --mirror ~/mirrors --format html --output check.html",
                   "torchpatch check --mirror ~/mirrors --version 1.6.0 --board tx2 --json"},
      .declare = declare_check};
}

}  // namespace torchpatch::cli
