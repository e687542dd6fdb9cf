// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/catalog_options.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "emit/run/reports.h"

namespace torchpatch::cli {
namespace {

struct ListLine {
  CatalogOptions catalog;
  std::string kind;
  bool json = false;
};

int list(const ListLine& line, Context& context) {
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  print(context, emit::list_report(catalog, line.kind, line.json ? emit::Format::json : emit::Format::text));
  return kDone;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<ListLine>();
  options.choice_argument("KIND", line->kind, {"releases", "boards", "issues", "patchsets"}, "what to list",
                          Need::required);
  declare_catalog_options(options, line->catalog);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return list(*line, context); };
}

}  // namespace

Command list_command() {
  return {.name = "list",
          .summary = "list the releases, boards, known issues or patchsets there are",
          .examples = {"torchpatch list boards", "torchpatch list issues --json"},
          .declare = declare};
}

}  // namespace torchpatch::cli
