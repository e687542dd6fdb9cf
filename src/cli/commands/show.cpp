// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/catalog_options.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "emit/run/reports.h"

namespace torchpatch::cli {
namespace {

struct ShowLine {
  CatalogOptions catalog;
  std::string kind, name;
  bool json = false;
};

std::string report(const ShowLine& line, const Catalog& catalog) {
  const emit::Format format = line.json ? emit::Format::json : emit::Format::text;
  if (line.kind == "release") return emit::show_release(catalog.release(line.name), format);
  if (line.kind == "board") return emit::show_board(catalog.board(line.name), format);
  if (line.kind == "issue") return emit::show_issue(catalog.issue(line.name), format);
  return emit::show_patchset(catalog.patchset(line.name), catalog, format);
}

int show(const ShowLine& line, Context& context) {
  print(context, report(line, load_catalog(line.catalog, context.environment)));
  return kDone;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<ShowLine>();
  options.choice_argument("KIND", line->kind, {"release", "board", "issue", "patchset"}, "what to show",
                          Need::required);
  options.argument("NAME", line->name, "its version or id; a board also by an alias", Need::required);
  declare_catalog_options(options, line->catalog);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return show(*line, context); };
}

}  // namespace

Command show_command() {
  return {.name = "show",
          .summary = "show one release, board, known issue or patchset in full",
          .details =
              "Prints everything the catalog says of one entry, with where each figure comes from and which of "
              "them nobody has verified.",
          .examples = {"torchpatch show board tx2", "torchpatch show issue cuda-threads-per-block"},
          .declare = declare};
}

}  // namespace torchpatch::cli
