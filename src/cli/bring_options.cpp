// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bring_options.h"

#include "cli/component_option.h"
#include "cli/exit_codes.h"
#include "cli/job_options.h"
#include "support/error.h"

namespace torchpatch::cli {

void declare_choice_options(OptionSet& options, BringLine& target) {
  options.values("--version", target.versions, "VERSION", "PyTorch version to bring, such as 1.1.0; may be repeated",
                 Need::required);
  declare_component_option(options, target.components);
  options.value("--board", target.board, "BOARD",
                "only what this board needs; default: what any board may need, where some take other submodules");
  options.value("--image", target.image, "IMAGE", "system software of the board; default: what the board names");
}

void declare_bring_options(OptionSet& options, BringLine& target, int& jobs) {
  declare_source_options(options, target.source);
  declare_catalog_options(options, target.catalog);
  declare_jobs(options, jobs);
  options.flag("--json", target.json, "print JSON");
}

ops::ReleaseChoice choice_from(const BringLine& line) {
  if (!line.image.empty() && line.board.empty()) {
    throw Error(ErrorKind::usage, "--image needs --board", "an image is one of a board");
  }
  return {line.versions, components_from(line.components), line.board, line.image};
}

int bring(const BringLine& line, Context& context,
          const std::function<emit::MirrorReport(const Catalog&, source::ObjectSource&)>& action) {
  check_source_options(line.source, line.catalog.source);
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  const OpenSource source =
      open_source(line.source, line.catalog.source, context.environment, context.console, line.versions);
  const emit::MirrorReport report = action(catalog, *source.objects);
  print(context, emit::mirror_report(report, line.json ? emit::Format::json : emit::Format::text));
  return kDone;
}

}  // namespace torchpatch::cli
