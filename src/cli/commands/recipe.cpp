// SPDX-License-Identifier: BSD-3-Clause
#include "ops/recipe/recipe.h"

#include "cli/commands/commands.h"
#include "cli/prepared_tree.h"
#include "cli/terminal.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

struct RecipeLine {
  std::string tree, kind, root, output, check;
  CatalogOptions catalog;
  int jobs = 1;
  bool json = false;

  void declare(OptionSet& options) {
    options.argument("OUT", tree, "a directory that prepare wrote", Need::required);
    options.choice("--kind", kind, {"native", "chroot", "sysroot", "container"}, "where the build runs");
    options.value("--root", root, "SYSTEM",
                  "take the packages of this system, such as debian-11, in place of the image's own");
    options.value("-o,--output", output, "DIR", "directory to write the recipe to");
    options.value("--check", check, "DIR", "write the recipe of DIR again and compare, in place of --output");
    declare_catalog_options(options, catalog);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  void check_line() const {
    exclude({"--check", !check.empty()}, {"--output", !output.empty()});
    exclude({"--check", !check.empty()}, {"--kind", !kind.empty()});
    exclude({"--check", !check.empty()}, {"--root", !root.empty()});
    if (check.empty() && (output.empty() || kind.empty()))
      throw usage_of("recipe", "missing: --kind KIND and --output DIR, or --check DIR");
  }

  int run(Context& context) const {
    check_line();
    const std::optional<PreparedTree> opened = open_prepared_tree(tree, catalog, jobs, json, context);
    if (!opened) return kFindings;
    const ops::ScannedTree& scanned = opened->scanned;
    const std::vector<record::RecipeFile> files =
        record::recipe_files(check.empty() ? ops::recipe_for(scanned, *parse_name<record::RecipeKind>(kind), root)
                                           : ops::recipe_in(check, scanned));
    if (check.empty()) {
      ops::write_recipe(files, output, context.console);
      print(context, concat("wrote ", files.size(), " files to ", printable(output), "\nnext: read ", printable(output),
                            "/README.md\n"));
      return kDone;
    }
    const std::vector<std::string> different = ops::compare_recipe(files, check);
    for (const std::string& name : different) print(context, concat("different: ", printable(name), "\n"));
    print(context, concat(files.size(), " files, differences: ", different.size(), "\n"));
    return different.empty() ? kDone : kFindings;
  }
};

}  // namespace

Command recipe_command() {
  return {
      .name = "recipe",
      .summary = "write the scripts that build a prepared tree",
      .details =
          "Writes a directory of scripts that take a prepared tree to its wheels: on the machine itself (native), in "
          "a root of the board's system (chroot), with a cross compiler (sysroot), or in a container. The tree is "
          "verified first (exit code 1 where it is not what was prepared). The scripts carry the digests of its "
          "record and build nothing else; the same tree gives the same bytes, wherever they are written.\n\n"
          "With --check the recipe is written again and compared: exit code 1, and the names of the files, where it "
          "differs.",
      .examples = {"torchpatch recipe out --kind sysroot --output recipe",
                   "torchpatch recipe out --kind chroot --root debian-11 --output recipe",
                   "torchpatch recipe out --check recipe"},
      .declare = declare_line<RecipeLine>};
}

}  // namespace torchpatch::cli
