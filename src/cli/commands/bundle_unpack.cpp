// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/job_options.h"
#include "ops/keep/bundle.h"

namespace torchpatch::cli {
namespace {

struct UnpackLine {
  std::string file, output;
  int jobs = 1;
  bool json = false;
};

int unpack(const UnpackLine& line, Context& context) {
  const emit::MirrorReport report = ops::unpack_bundle(line.file, line.output, line.jobs, context.console);
  print(context, emit::mirror_report(report, line.json ? emit::Format::json : emit::Format::text));
  return kDone;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<UnpackLine>();
  options.argument("FILE", line->file, "a file that bundle create wrote, or a copy of one", Need::required);
  options.value("-o,--output", line->output, "DIR", "folder to write; absent or empty", Need::required);
  declare_jobs(options, line->jobs);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return unpack(*line, context); };
}

}  // namespace

Command bundle_unpack_command() {
  return {.name = "bundle unpack",
          .summary = "make a mirror folder of a bundle",
          .details =
              "Checks the bundle as 'bundle verify' does, but for the comparison with the catalog, and writes "
              "DIR/git/HOST/PATH.git, as 'mirror' does. DIR appears when all of it is there and sound; a bundle "
              "with anything wrong is refused.",
          .examples = {"torchpatch bundle unpack pytorch-1.1.0.bundle.tar --output mirror",
                       "torchpatch prepare --version 1.1.0 --board tx2 --mirror mirror --output out"},
          .declare = declare};
}

}  // namespace torchpatch::cli
