// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/catalog_options.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/option_set.h"
#include "cli/sources.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

struct WriteSourceLine {
  std::string name, directory;
};

int write_source(const WriteSourceLine& line, Context& context) {
  const EmbeddedSource& source = find_embedded_source(line.name);
  make_directories(line.directory);
  if (!list_directory(line.directory).empty()) {
    throw Error(ErrorKind::environment, concat(quote(line.directory), " is not empty"), "name a new directory");
  }
  for (const auto& [release, commits] : source.write(load_catalog({}, context.environment), line.directory, {})) {
    for (const auto& [component, commit] : commits) {
      print(context, concat(release.text(), " ", component_name(component), " ", commit.hex(), "\n"));
    }
  }
  return kDone;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<WriteSourceLine>();
  options.choice_argument("NAME", line->name, embedded_source_names(), "the embedded source", Need::required);
  options.value("-o,--output", line->directory, "DIR", "an empty or new directory", Need::required);
  return [line](Context& context) { return write_source(*line, context); };
}

}  // namespace

Command write_source_command() {
  return {.name = "write-source",
          .summary = "write the repositories of an embedded source, to look at or to use as a mirror",
          .details = "Prints release, component and commit of what it wrote, one a line.",
          .examples = {"torchpatch write-source " + embedded_source_names().front() + " --output upstream"},
          .declare = declare,
          .audience = Audience::plumbing};
}

}  // namespace torchpatch::cli
