// SPDX-License-Identifier: BSD-3-Clause
#include "ops/prove/prove.h"

#include <algorithm>
#include <ctime>
#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/source_options.h"
#include "document/document.h"
#include "support/text.h"
#include "report/prove.h"

namespace torchpatch::cli {
namespace {

struct ProveLine {
  CatalogOptions catalog;
  SourceOptions source;
  ops::ProveOptions options;
  std::string record;
  bool require_tools = false;
  bool json = false;
};

/// Returns today's date in UTC, or that of SOURCE_DATE_EPOCH.
std::string today(const Environment& environment) {
  const auto epoch = parse_decimal(environment.variable("SOURCE_DATE_EPOCH"));
  return day_text(epoch ? static_cast<std::int64_t>(*epoch) : std::time(nullptr));
}

bool is_finding(const ProofOutcome& outcome, bool require_tools) {
  if (outcome.verdict == ProofVerdict::no_tool) return require_tools;
  return outcome.verdict != ProofVerdict::proven;
}

int prove(const ProveLine& line, Context& context) {
  check_source_options(line.source, line.catalog.source);
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  const OpenSource source = open_source(line.source, line.catalog.source, context.environment, context.console);
  const ProveReport report = ops::prove(catalog, *source.objects, line.options, context.console);
  print(context, report::prove_report(report, line.json ? report::Format::json : report::Format::text));
  if (!line.record.empty()) {
    for (const std::string& file : ops::record_proofs(catalog, report, line.record, today(context.environment))) {
      context.console.status("recorded " + file);
    }
  }
  const bool is_fine = std::none_of(report.proofs.begin(), report.proofs.end(),
                                    [&](const auto& outcome) { return is_finding(outcome, line.require_tools); });
  return is_fine ? kDone : kFindings;
}

Action declare_prove(OptionSet& options) {
  const auto line = std::make_shared<ProveLine>();
  options.arguments("PATCHSET", line->options.patchsets, "patchsets to prove; default: all");
  options.values("--version", line->options.releases, "VERSION",
                 "only this release; may be repeated; default: every release whose sources are there");
  options.value("--record", line->record, "DIR", "catalog directory to write the outcomes into");
  options.value("--keep", line->options.keep, "DIR",
                "leave the trees and what was made of them in this empty directory");
  options.flag("--require-tools", line->require_tools, "a tool that is not there is a finding");
  declare_catalog_options(options, line->catalog);
  declare_source_options(options, line->source);
  declare_jobs(options, line->options.jobs);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return prove(*line, context); };
}

}  // namespace

Command prove_command() {
  return {
      .name = "prove",
      .summary = "run the proofs of patches: red without the patch, green with it",
      .details =
          "Writes the parts of the pinned tree that a proof reads into two temporary directories, without and with "
          "the patches, and runs the proof's commands in each: real compilers and interpreters, no shell, nothing "
          "of the user's environment, limits on time and memory. A proof is proven where the commands fail without "
          "the patches for the reason that the proof names, and succeed with them. Exit code 1 where one is not_red "
          "or not_green; no_tool says what is not installed. A catalog's proofs are programs: run only those of "
          "catalogs that you trust.",
      .examples = {"torchpatch prove --mirror ~/mirrors",
                   "torchpatch prove qnnpack-aarch64-mov --version 1.5.0 --json"},
      .declare = declare_prove};
}

}  // namespace torchpatch::cli
