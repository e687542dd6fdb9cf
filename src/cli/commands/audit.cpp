// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/audit_against.h"
#include "cli/audit_line.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/job_options.h"
#include "cli/paging.h"

namespace torchpatch::cli {
namespace {

constexpr int kMaxContext = 100'000;

bool is_text(const ReportOptions& form) { return !form.json && (form.format.empty() || form.format == "text"); }

std::string report_text(const emit::AuditReport& report, const ReportOptions& form, emit::TextColor color) {
  if (form.json) return emit::audit_json(report);
  if (form.format == "markdown") return emit::audit_markdown(report);
  if (form.format == "html") return emit::audit_html(report);
  if (form.format == "sarif") return emit::audit_sarif(report);
  return emit::audit_text(report, color);
}

std::string report_text(const emit::SeriesReport& report, const ReportOptions& form, emit::TextColor color) {
  if (form.json) return emit::series_json(report);
  if (form.format == "markdown") return emit::series_markdown(report);
  if (form.format == "html") return emit::series_html(report);
  return emit::series_text(report, color);
}

int audit(const AuditLine& line, Context& context) {
  check_audit_line(line);
  const Catalog catalog = audit_catalog(line, context.environment);
  const bool is_colored = context.color && line.form.output.empty();
  const emit::TextColor color = is_colored ? emit::TextColor::ansi : emit::TextColor::none;
  const std::string text = line.against.empty()
                               ? report_text(make_audit_report(line, catalog, context), line.form, color)
                               : report_text(make_series_report(line, catalog), line.form, color);
  if (is_text(line.form) && line.form.output.empty() && !line.no_pager) {
    print_paged(context, text);
  } else {
    print_report(context, line.form, text);
  }
  return kDone;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<AuditLine>();
  options.argument("DIR", line->tree, "a directory that prepare wrote: audit what was applied there, in its own files",
                   Need::optional);
  options.flag("--all", line->all, "every patch of the catalog, each in the newest release that gets it");
  options.value("--against", line->against, "OTHER",
                "show how the patches changed since OTHER: a release, a prepared tree or its manifest, or a directory "
                "with another revision of the catalog");
  declare_plan_options(options, line->plan, Need::optional);
  options.values("--mirror", line->source.mirrors, "DIR",
                 "show the changes in the pinned files, and look for them in later releases, read from the git "
                 "repositories below DIR; may be repeated");
  options.number("--context", line->options.context, kMaxContext,
                 "unchanged lines around a change, where there are files; default: 10");
  declare_jobs(options, line->options.jobs);
  declare_report_options(options, line->form, {"text", "markdown", "html", "sarif"});
  options.flag("--no-pager", line->no_pager, "print to the terminal at once");
  return [line](Context& context) { return audit(*line, context); };
}

}  // namespace

Command audit_command() {
  return {
      .name = "audit",
      .summary = "show every changed line with its issue, certificate, proof and risks",
      .details =
          "What a reviewer reads before he signs off the patches of a plan (--version and --board), of a prepared "
          "tree (DIR) or of the whole catalog (--all): of each its header and what lint says of it, where it comes "
          "from, the issues that it answers, whether it is certified and proven, the files and lines it touches, "
          "which other patches change the same files, what to look at twice (files that run at build time, network "
          "calls, modes, links, binary or generated content, characters that do not show, blanks, hunks that the "
          "description does not explain), and the changes themselves."
          "\n\n"
          "With --mirror or --source they stand in the pinned files, ten lines around or as many as --context says, "
          "and later releases are searched for them, by blob id; that a later release does not have a change proves "
          "nothing. A prepared tree needs no sources: its own files are read, and the patches taken back out of "
          "them in memory; it is refused where a file that a patch touches is not what its manifest says."
          "\n\n"
          "--against compares patches instead, one by one, as git range-diff does: which are the same, changed (with "
          "what differs in headers and changed lines; positions and context do not count), gone, new, or in another "
          "order."
          "\n\n"
          "On a terminal the text goes through PAGER (less), as git's does. The digest is that of the whole report; "
          "the sign-off at its end says how to sign it.",
      .examples = {"torchpatch audit --version 1.1.0 --board tx2 --mirror ~/mirrors",
                   "torchpatch audit --version 1.1.0 --board tx2 --mirror ~/mirrors --format html --output audit.html",
                   "torchpatch audit out --format markdown >audit.md",
                   "torchpatch audit --version 1.1.0 --board tx2 --against 1.0.0",
                   "torchpatch audit --all --mirror ~/mirrors --format sarif >audit.sarif"},
      .declare = declare};
}

}  // namespace torchpatch::cli
