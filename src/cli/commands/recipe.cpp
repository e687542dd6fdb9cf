// SPDX-License-Identifier: BSD-3-Clause
#include "trees/recipe/recipe.h"

#include "cli/commands/commands.h"
#include "cli/prepared_tree.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "support/text.h"
#include "trees/prepare/manifest.h"

namespace torchpatch::cli {

namespace {

struct RecipeLine {
  std::string tree, kind, root, output, check;
  PlanLine plan;
  int jobs = 1;
  bool json = false;

  void declare(OptionSet& options) {
    options.argument("OUT", tree, "a directory that prepare wrote; without it, the recipe prepares it, too",
                     Need::optional);
    options.choice("--kind", kind, names_of<RecipeKind>(), "where the build runs");
    options.value("--root", root, "DIR|SYSTEM",
                  "take the packages of this system, such as debian-11, or of the one unpacked in DIR (with a '/'), in "
                  "place of the image's own");
    options.value("-o,--output", output, "DIR", "directory to write the recipe to");
    options.value("--check", check, "DIR", "write the recipe of DIR again and compare, in place of --output");
    declare_plan_options(options, plan, Need::optional);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  void check_line() const {
    exclude({"--check", !check.empty()}, {"--output", !output.empty()});
    exclude({"--check", !check.empty()}, {"--kind", !kind.empty()});
    exclude({"--check", !check.empty()}, {"--root", !root.empty()});
    if (check.empty() && (output.empty() || kind.empty()))
      throw usage_of("recipe", "missing: --kind KIND and --output DIR, or --check DIR");
    require_tree_or_pair("recipe", tree, plan);
  }

  int write_or_check(record::RecipeInput input, Context& context) const {
    input.system = trees::system_of(root);
    if (check.empty())
      input.kind = *parse_name<RecipeKind>(kind);
    else
      trees::take_over(check, input);
    const std::vector<record::GeneratedFile> files = record::recipe_files(input);
    std::vector<std::string> different;
    if (check.empty())
      trees::write_generated(files, output, context.console);
    else
      different = trees::compare_recipe(files, check);
    const RecipeReport report = {check.empty() ? output : check, files.size(), check.empty(), different};
    print_result(context, json, report, report::recipe_document(report));
    return different.empty() ? kDone : kFindings;
  }

  int run(Context& context) const {
    check_line();
    if (!tree.empty()) {
      const std::optional<PreparedTree> opened = open_prepared_tree(tree, plan.catalog, jobs, json, context);
      return opened ? write_or_check(trees::recipe_for(opened->scanned), context) : kFindings;
    }
    const Catalog catalog = load_catalog(plan.catalog, context.environment);
    const Plan made = plan_from(plan, catalog, context.console);
    const Manifest manifest = trees::make_manifest(made, catalog, {});
    if (!foreign_layers(manifest).empty() && !manifest.stand_in)
      throw usage_of("recipe", "a recipe with a catalog of one's own needs the prepared tree: name it");
    record::RecipeInput input;
    input.manifest = &manifest;
    return write_or_check(input, context);
  }
};

}  // namespace

Command recipe_command() { return {.name = "recipe", .declare = declare_line<RecipeLine>}; }

}  // namespace torchpatch::cli
