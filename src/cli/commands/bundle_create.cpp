// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/bring_options.h"
#include "cli/commands/commands.h"
#include "ops/keep/bundle.h"

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

Action declare(OptionSet& options) {
  const auto line = std::make_shared<CreateLine>();
  declare_choice_options(options, line->bring);
  options.value("-o,--output", line->options.output, "FILE", "bundle to write, such as pytorch-1.1.0.bundle.tar",
                Need::required);
  options.flag("--replace", line->options.replace, "write over a file that is there");
  declare_bring_options(options, line->bring, line->options.jobs);
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
