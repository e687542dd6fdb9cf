// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/catalog_options.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/job_options.h"
#include "ops/keep/bundle.h"

namespace torchpatch::cli {
namespace {

struct VerifyLine {
  std::string file;
  CatalogOptions catalog;
  int jobs = 1;
  bool json = false;
};

int verify(const VerifyLine& line, Context& context) {
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  const emit::BundleReport report = ops::verify_bundle(line.file, catalog, line.jobs, context.console);
  print(context, emit::bundle_report(report, line.json ? emit::Format::json : emit::Format::text));
  return report.problems.empty() ? kDone : kFindings;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<VerifyLine>();
  options.argument("FILE", line->file, "a file that bundle create wrote, or a copy of one", Need::required);
  declare_catalog_options(options, line->catalog);
  declare_jobs(options, line->jobs);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return verify(*line, context); };
}

}  // namespace

Command bundle_verify_command() {
  return {.name = "bundle verify",
          .summary = "check that a bundle is whole",
          .details =
              "Reads every byte of the bundle: the index against its SHA-256, every member against the index, every "
              "object against its id. Then walks from the pins to every file of every submodule: all of it has to be "
              "there, and nothing else. The pins are compared with those of the catalog. Needs no network. Exit code "
              "1, with what is wrong, where anything is.",
          .examples = {"torchpatch bundle verify pytorch-1.1.0.bundle.tar"},
          .declare = declare};
}

}  // namespace torchpatch::cli
