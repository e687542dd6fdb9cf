// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/catalog_options.h"
#include "cli/choice_options.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/job_options.h"
#include "cli/source_options.h"
#include "ops/keep/bundle.h"

namespace torchpatch::cli {
namespace {

struct CreateLine {
  ChoiceLine choice;
  CatalogOptions catalog;
  SourceOptions source;
  ops::BundleOptions options;
  bool json = false;
};

int create(const CreateLine& line, Context& context) {
  ops::BundleOptions options = line.options;
  options.choice = choice_from(line.choice);
  check_source_options(line.source, line.catalog.source);
  ops::check_bundle_output(options);
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  const OpenSource source =
      open_source(line.source, line.catalog.source, context.environment, context.console, options.choice.versions);
  const emit::MirrorReport report = ops::create_bundle(catalog, options, *source.objects, context.console);
  print(context, emit::mirror_report(report, line.json ? emit::Format::json : emit::Format::text));
  return kDone;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<CreateLine>();
  declare_choice_options(options, line->choice);
  options.value("-o,--output", line->options.output, "FILE", "bundle to write, such as pytorch-1.1.0.bundle.tar",
                Need::required);
  options.flag("--replace", line->options.replace, "write over a file that is there");
  declare_source_options(options, line->source);
  declare_catalog_options(options, line->catalog);
  declare_jobs(options, line->options.jobs);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return create(*line, context); };
}

}  // namespace

Command bundle_create_command() {
  return {.name = "bundle create",
          .summary = "write every object of a release into one self-checking file",
          .details =
              "For a machine without a network: a plain tar of an index, which names the releases' pins and every "
              "repository with its commits, trees and the SHA-256 of its pack, and of one pack a repository, without "
              "history. Equal pins give equal bytes wherever the objects come from. FILE has its name only when it is "
              "whole. 'bundle unpack' makes a folder for --mirror of it; every pack in it is good for git as well.",
          .examples = {"torchpatch bundle create --version 1.1.0 --output pytorch-1.1.0.bundle.tar",
                       "torchpatch bundle verify pytorch-1.1.0.bundle.tar",
                       "torchpatch bundle unpack pytorch-1.1.0.bundle.tar --output mirror",
                       "torchpatch prepare --version 1.1.0 --board tx2 --mirror mirror --output out"},
          .declare = declare};
}

}  // namespace torchpatch::cli
