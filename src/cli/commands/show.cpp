// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "report/show.h"

namespace torchpatch::cli {

namespace {

struct ListLine {
  CatalogOptions catalog;
  std::string kind;
  bool json = false;
};

int list(const ListLine& line, Context& context) {
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  print(context, report::list_report(catalog, line.kind, line.json ? report::Format::json : report::Format::text));
  return kDone;
}

Action declare_list(OptionSet& options) {
  const auto line = std::make_shared<ListLine>();
  options.choice_argument("KIND", line->kind, {"releases", "boards", "issues", "patchsets"}, "what to list",
                          Need::required);
  declare_catalog_options(options, line->catalog);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return list(*line, context); };
}

struct ShowLine {
  CatalogOptions catalog;
  std::string kind, name;
  bool json = false;
};

std::string report(const ShowLine& line, const Catalog& catalog) {
  const report::Format format = line.json ? report::Format::json : report::Format::text;
  if (line.kind == "release") return report::show_release(catalog.release(line.name), format);
  if (line.kind == "board") return report::show_board(catalog.board(line.name), format);
  if (line.kind == "issue") return report::show_issue(catalog.issue(line.name), format);
  return report::show_patchset(catalog.patchset(line.name), catalog, format);
}

int show(const ShowLine& line, Context& context) {
  print(context, report(line, load_catalog(line.catalog, context.environment)));
  return kDone;
}

Action declare_show(OptionSet& options) {
  const auto line = std::make_shared<ShowLine>();
  options.choice_argument("KIND", line->kind, {"release", "board", "issue", "patchset"}, "what to show",
                          Need::required);
  options.argument("NAME", line->name, "its version or id; a board also by an alias", Need::required);
  declare_catalog_options(options, line->catalog);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return show(*line, context); };
}

}  // namespace

Command list_command() {
  return {.name = "list",
          .summary = "list the releases, boards, known issues or patchsets there are",
          .examples = {"torchpatch list boards", "torchpatch list issues --json"},
          .declare = declare_list};
}

Command show_command() {
  return {.name = "show",
          .summary = "show one release, board, known issue or patchset in full",
          .details =
              "Prints everything the catalog says of one entry, with where each figure comes from and which of "
              "them nobody has verified.",
          .examples = {"torchpatch show board tx2", "torchpatch show issue cuda-threads-per-block"},
          .declare = declare_show};
}

}  // namespace torchpatch::cli
