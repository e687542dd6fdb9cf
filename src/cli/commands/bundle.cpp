// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "ops/keep/bundle.h"
#include "report/keep.h"

namespace torchpatch::cli {

namespace {

struct CreateLine {
  BringLine bring;
  ops::BundleOptions options;
};

int create(const CreateLine& line, Context& context) {
  ops::BundleOptions options = line.options;
  options.choice = choice_from(line.bring);
  ops::check_bundle_output(options);
  return bring(line.bring, context, [&](const Catalog& catalog, source::ObjectSource& source) {
    return ops::create_bundle(catalog, options, source, context.console);
  });
}

Action declare_bundle_create(OptionSet& options) {
  const auto line = std::make_shared<CreateLine>();
  declare_choice_options(options, line->bring);
  options.value("-o,--output", line->options.output, "FILE", "bundle to write, such as pytorch-1.1.0.bundle.tar",
                Need::required);
  options.flag("--replace", line->options.replace, "write over a file that is there");
  declare_bring_options(options, line->bring, line->options.jobs);
  return [line](Context& context) { return create(*line, context); };
}

struct UnpackLine {
  std::string file, output;
  int jobs = 1;
  bool json = false;
};

int unpack(const UnpackLine& line, Context& context) {
  const MirrorReport report = ops::unpack_bundle(line.file, line.output, line.jobs, context.console);
  print(context, report::mirror_report(report, line.json ? report::Format::json : report::Format::text));
  return kDone;
}

Action declare_bundle_unpack(OptionSet& options) {
  const auto line = std::make_shared<UnpackLine>();
  options.argument("FILE", line->file, "a file that bundle create wrote, or a copy of one", Need::required);
  options.value("-o,--output", line->output, "DIR", "folder to write; absent or empty", Need::required);
  declare_jobs(options, line->jobs);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return unpack(*line, context); };
}

struct BundleVerifyLine {
  std::string file;
  CatalogOptions catalog;
  int jobs = 1;
  bool json = false;
};

int verify_bundle_file(const BundleVerifyLine& line, Context& context) {
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  const BundleReport report = ops::verify_bundle(line.file, catalog, line.jobs, context.console);
  print(context, report::bundle_report(report, line.json ? report::Format::json : report::Format::text));
  return report.problems.empty() ? kDone : kFindings;
}

Action declare_bundle_verify(OptionSet& options) {
  const auto line = std::make_shared<BundleVerifyLine>();
  options.argument("FILE", line->file, "a file that bundle create wrote, or a copy of one", Need::required);
  declare_catalog_options(options, line->catalog);
  declare_jobs(options, line->jobs);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return verify_bundle_file(*line, context); };
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
          .declare = declare_bundle_create};
}

Command bundle_unpack_command() {
  return {.name = "bundle unpack",
          .summary = "make a mirror folder of a bundle",
          .details =
              "Checks the bundle as 'bundle verify' does, but for the comparison with the catalog, and writes "
              "DIR/git/HOST/PATH.git, as 'mirror' does. DIR appears when all of it is there and sound; a bundle "
              "with anything wrong is refused.",
          .examples = {"torchpatch bundle unpack pytorch-1.1.0.bundle.tar --output mirror",
                       "torchpatch prepare --version 1.1.0 --board tx2 --mirror mirror --output out"},
          .declare = declare_bundle_unpack};
}

Command bundle_verify_command() {
  return {.name = "bundle verify",
          .summary = "check that a bundle is whole",
          .details =
              "Reads every byte of the bundle: the index against its SHA-256, every member against the index, every "
              "object against its id. Then walks from the pins to every file of every submodule: all of it has to be "
              "there, and nothing else. The pins are compared with those of the catalog. Needs no network. Exit code "
              "1, with what is wrong, where anything is.",
          .examples = {"torchpatch bundle verify pytorch-1.1.0.bundle.tar"},
          .declare = declare_bundle_verify};
}

}  // namespace torchpatch::cli
