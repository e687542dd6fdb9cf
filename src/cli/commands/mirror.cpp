// SPDX-License-Identifier: BSD-3-Clause
#include "ops/keep/mirror.h"

#include <memory>

#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "support/error.h"
#include "report/keep.h"

namespace torchpatch::cli {
namespace {

struct MirrorLine {
  BringLine bring;
  ops::MirrorOptions options;
  bool is_full = false;
};

int mirror(const MirrorLine& line, Context& context) {
  ops::MirrorOptions options = line.options;
  options.choice = choice_from(line.bring);
  if (line.is_full && line.bring.source.offline) {
    throw Error(ErrorKind::usage, "--full fetches histories, which --offline forbids", "leave one of them out");
  }
  if (line.is_full) options.histories = network_options(line.bring.source, context.environment);
  return bring(line.bring, context, [&](const Catalog& catalog, source::ObjectSource& source) {
    return ops::mirror(catalog, options, source, context.console);
  });
}

Action declare_mirror(OptionSet& options) {
  const auto line = std::make_shared<MirrorLine>();
  declare_choice_options(options, line->bring);
  options.value("-o,--output", line->options.output, "DIR", "folder to bring everything to; it may have some already",
                Need::required);
  options.flag("--full", line->is_full, "fetch all branches, tags and histories as well");
  declare_bring_options(options, line->bring, line->options.jobs);
  return [line](Context& context) { return mirror(*line, context); };
}

}  // namespace

Command mirror_command() {
  return {.name = "mirror",
          .summary = "bring every object of a release into one folder",
          .details =
              "Writes DIR/git/HOST/PATH.git, one bare repository for each repository of the release, with its commits "
              "and all their files, without history; DIR is then good for --mirror DIR, and every repository in it for "
              "git. Every object is checked against its id, those that are there already as well; what is damaged is "
              "brought anew. A run that was killed goes on where it was, and further releases add to what is there.\n\n"
              "With --full the histories are fetched as well: from the recorded URLs and where the catalog knows the "
              "repositories to live, or from where --url-map says; never from the folders of --mirror.\n\n"
              "To serve a laboratory: 'git daemon --export-all --base-path=DIR/git DIR/git'.",
          .examples = {"torchpatch mirror --version 1.1.0 --output ~/mirrors",
                       "torchpatch mirror --version 1.1.0 --version 1.10.2 --mirror ~/clones --output ~/mirrors",
                       "torchpatch prepare --version 1.1.0 --board tx2 --mirror ~/mirrors --output out"},
          .declare = declare_mirror};
}

}  // namespace torchpatch::cli
