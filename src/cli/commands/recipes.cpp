// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

#include "cli/command.h"
#include "cli/project.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "record/matrix/matrix_files.h"
#include "report/reports.h"
#include "support/program.h"
#include "support/text.h"
#include "trees/doctor/doctor.h"
#include "trees/matrix/matrix.h"
#include "trees/prepare/manifest.h"
#include "trees/recipe/recipe.h"
#include "trees/wheel/wheel.h"

namespace torchpatch::cli {

namespace {

struct RecipeArgs {
  std::string tree, output, check;
  RecipeOptions recipe;
  PlanArgs plan;
  int jobs = 1;
  bool replace = false, json = false;

  void declare(OptionSet& options) {
    options.argument("OUT", tree, "a prepared tree; without it, the recipe also prepares the tree", Need::optional);
    declare_recipe_options(options, recipe);
    options.value("-o,--output", output, "DIR", "directory to write the recipe to");
    options.flag("--replace", replace, "overwrite a recipe that torchpatch wrote before");
    options.value("--check", check, "DIR", "write nothing; generate the recipe in DIR again and compare the two");
    declare_plan_options(options, plan, Need::optional);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  void check_line() const {
    exclude("--check", !check.empty(), "--output", !output.empty());
    exclude("--check", !check.empty(), "--replace", replace);
    exclude("--check", !check.empty(), "--kind", !recipe.kind.empty());
    exclude("--check", !check.empty(), "--root", !recipe.root.empty());
    exclude("--check", !check.empty(), "--cuda", !recipe.cuda.empty());
    if (check.empty() && (output.empty() || recipe.kind.empty()))
      throw usage_of("recipe", "missing: --kind KIND and --output DIR, or --check DIR");
    require_tree_or_pair("recipe", tree, plan);
  }

  int write_or_check(record::RecipeInput input, Context& context) const {
    apply_recipe_options(recipe, input);
    if (check.empty())
      input.kind = *parse_name<RecipeKind>(recipe.kind);
    else
      trees::take_over(check, input);
    const std::vector<record::GeneratedFile> files = record::recipe_files(input);
    std::vector<std::string> different;
    if (check.empty())
      trees::write_generated(files, trees::recipe_output(output, replace), context.console);
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
      return opened ? write_or_check(trees::recipe_for(opened->scanned, opened->catalog), context) : kFindings;
    }
    const Catalog catalog = load_catalog(plan.catalog, context.environment);
    const Plan made = plan_from(plan, catalog, context);
    const Manifest manifest = trees::make_manifest(made, catalog, {});
    if (!foreign_layers(manifest).empty() && !manifest.stand_in)
      throw usage_of("recipe", "a recipe with your own catalog needs a prepared tree: pass it");
    record::RecipeInput input;
    input.manifest = &manifest;
    input.disk_mib = trees::disk_for(catalog, manifest);
    return write_or_check(input, context);
  }
};

/// matrix, matrix status
struct MatrixArgs {
  PlanArgs plan;  ///< its version is a range, its board a list
  std::string emit, cache, directory, results, project;
  std::vector<std::string> images;
  ReportOptions form;
  bool replace = false, allow_partial = false, watch = false;

  void declare(OptionSet& options) {
    options.value("--versions", plan.version, "RANGE",
                  "releases to build, such as '>=1.4 <1.11' or 1.8.1,2.1.2; '*' means all");
    options.value("--boards", plan.board, "BOARD,…", "boards to build for, separated by commas");
    declare_project_option(options, project);
    options.values("--image", images, "IMAGE",
                   "only this system software, for the boards that have it; may be repeated; default: each board's "
                   "default image for a "
                   "release");
    options.choice("--emit", emit, names_of<MatrixEngine>(), "CI system or cluster to write jobs for", Need::required);
    options.choice("--cache", cache, names_of<BuildCache>(),
                   "cache or distribute compilation with this program; default: none");
    options.value("-o,--output", form.output, "DIR", "directory to write", Need::required);
    options.flag("--replace", replace, "overwrite a matrix that torchpatch wrote before; results of its jobs are kept");
    declare_component_option(options, plan.components);
    options.values("--with", plan.with_fixes, "FIX", "also use this optional fix; may be repeated");
    options.values("--without", plan.without_fixes, "FIX", "leave this fix out; may be repeated");
    options.values("--set", plan.settings, "KEY=VALUE", "as in prepare, for every pair; may be repeated");
    options.flag("--allow-partial", allow_partial, "continue without files and submodules that no source has");
    declare_catalog_options(options, plan.catalog);
    options.flag("--json", form.json, "print JSON");
  }

  /// Returns what --versions lists: a range, or releases between commas. A comma between bounds, pip's "and", is
  /// refused.
  std::vector<VersionRange> chosen_releases() const {
    const std::vector<std::string> parts = split(plan.version, ',');
    std::vector<VersionRange> releases;
    for (const std::string& part : parts) {
      const bool is_release = Version::parse(part).has_value();
      const std::optional<VersionRange> range = VersionRange::parse(is_release ? "==" + part : part);
      if (!range || (parts.size() > 1 && !is_release))
        throw usage_of("matrix", concat("--versions: ", quote(plan.version),
                                        " is neither a range such as '>=1.4 <1.11' nor a list such as 1.8.1,2.1.2"));
      releases.push_back(*range);
    }
    return releases;
  }

  trees::MatrixRequest request() const {
    std::vector<std::string> missing;
    if (plan.version.empty()) missing.emplace_back("--versions RANGE");
    if (plan.board.empty()) missing.emplace_back("--boards BOARD,…");
    if (!missing.empty()) throw usage_of("matrix", concat("missing: ", join(missing, ", "), " (or --project FILE)"));
    trees::MatrixRequest request;
    request.releases = chosen_releases();
    for (const std::string& board : split(plan.board, ',')) {
      if (std::ranges::count(request.boards, board) > 0)
        throw usage_of("matrix", concat("--boards: ", quote(board), " is listed twice"));
      request.boards.push_back(board);
    }
    request.images = images;
    if (images.empty() && !plan.image.empty()) request.images = {plan.image};
    request.options = plan_options(plan);
    request.allow_partial = allow_partial;
    request.engine = *parse_name<MatrixEngine>(emit);
    request.cache = cache.empty() ? BuildCache::none : *parse_name<BuildCache>(cache);
    return request;
  }

  int run(Context& context) const {
    MatrixArgs args = *this;
    add_project(project, args.plan, nullptr, context);
    const Catalog loaded = load_catalog(args.plan.catalog, context.environment);
    const Matrix matrix = trees::plan_matrix(loaded, args.request());
    if (matrix.pairs.empty()) {
      const LeftOutPair& first = matrix.left_out.front();
      throw Error(ErrorKind::usage, concat("no release supports any of the boards; ", first.release, " on ",
                                           first.board, ": ", first.reason));
    }
    trees::write_generated(record::matrix_files(matrix), trees::matrix_output(form.output, replace), context.console);
    print_result(context, form.json, report::matrix_json(matrix, form.output),
                 report::matrix_document(matrix, form.output));
    return kDone;
  }

  void declare_status(OptionSet& options) {
    options.argument("DIR", directory, "a directory written by matrix", Need::required);
    options.value("--results", results, "DIR",
                  "directory with the reports of the jobs, at any depth; default: DIR/results");
    options.flag("--watch", watch,
                 "repeat every few seconds, on the terminal or into --output, until no pair waits or runs");
    declare_report_options(options, form, {"text", "html"});
  }

  int status(Context& context) const {
    check_report_options(form);
    if (!results.empty()) {
      require_directory(results, "reading the reports in " + quote(results),
                        "pass the directory that contains the reports of the jobs, or omit --results");
    }
    const bool is_drawn = watch && form.output.empty();
    if (is_drawn && (!context.environment.out_is_terminal || form.json || form.format == "html"))
      throw usage_of("matrix status", "--watch needs a terminal to draw on, or --output FILE");
    for (;;) {
      const MatrixStatus found = trees::matrix_status(directory, place(), std::time(nullptr));
      if (is_drawn) print(context, "\033[H\033[J");  // the cursor home, what is below it away
      for (const std::string& warning : found.warnings) context.console.warning(warning);
      print_report(context, form, text_of(found, context));
      const auto left = static_cast<std::size_t>(std::ranges::count_if(found.pairs, is_open));
      if (!watch || left == 0) return has_failed(found) ? kFindings : kDone;
      context.console.progress("pairs", found.pairs.size() - left, found.pairs.size(), 0);
      for (int tenths = 0; tenths < 50; ++tenths) {
        check_interrupted();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  }

  std::string place() const { return results.empty() ? directory + "/results" : results; }

  /// The way from the page that is written to the results; a page on stdout is taken to lie there.
  std::string way() const {
    if (form.output.empty()) return {};
    namespace fs = std::filesystem;
    const std::string way = fs::relative(place(), fs::absolute(form.output).parent_path()).string();
    return way == "." ? "" : way + "/";
  }

  std::string text_of(const MatrixStatus& status, const Context& context) const {
    if (form.json) return report_json(to_json(status, JsonForm::report));
    if (form.format == "html") return report::matrix_status_html(status, way());
    return document_text(report::matrix_status_document(status),
                         form.output.empty() ? text_style(context) : TextStyle{});
  }
};

/// kernels, wheel check, wheel fix-names
struct WheelArgs {
  CatalogOptions catalog;
  std::vector<std::string> files;
  std::string board, image, output;
  int jobs = 1;
  bool requires_gpu = false, json = false;

  void declare_kernels(OptionSet& options) {
    options.arguments("FILE", files, "wheels, and libraries outside of wheels");
    options.value("--board", board, "BOARD", "board with the GPU to check for", Need::required);
    declare_catalog_options(options, catalog);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON, with all kernels");
  }
  void declare_check(OptionSet& options) {
    options.arguments("FILE", files,
                      "wheels; those of torchvision and torchaudio are compared with torch's if it is given too");
    options.value("--board", board, "BOARD", "target board; auto: this machine", Need::required);
    options.value("--image", image, "IMAGE",
                  "system software of the board; default: the board's image for the release of these wheels, or else "
                  "the newest that fits their tags");
    options.flag("--require-gpu", requires_gpu, "exit 1 if the board has a GPU but torch has no code for it");
    declare_catalog_options(options, catalog);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }
  void declare_fix(OptionSet& options) {
    options.argument("FILE", files.emplace_back(), "the wheel", Need::required);
    options.value("--board", board, "BOARD", "target board", Need::required);
    options.value("--image", image, "IMAGE",
                  "system software of the board; default: the board's image for the release of this wheel");
    options.value("-o,--output", output, "DIR", "directory to write the wheel to", Need::required);
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print JSON");
  }

  int check(Context& context) const {
    if (files.empty()) throw usage_of("wheel check", "no wheel given");
    const Catalog loaded = load_catalog(catalog, context.environment);
    std::string target = board, system = image;
    settle_board(target, system, context.environment.root, loaded, context);
    const WheelReport report = trees::check_wheels(loaded, loaded.board(target), system, requires_gpu, files, jobs);
    const Json as_json = to_json(report, JsonForm::report);
    print_result(context, json, as_json, report::wheel_document(report));
    if (!report.is_ok()) return kFindings;
    return report.install.empty() ? kDone : kInstallFirst;
  }
  int kernels(Context& context) const {
    if (files.empty()) throw usage_of("kernels", "no file given");
    const Catalog loaded = load_catalog(catalog, context.environment);
    const KernelReport report = trees::find_kernels(loaded, loaded.board(board), files, jobs);
    print_result(context, json, report, report::kernels_document(report));
    return kDone;
  }
  int fix(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    const WheelFix fix = trees::fix_names(loaded, loaded.board(board), image, files.front(), output);
    print_result(context, json, fix, report::wheel_fix_document(fix));
    return kDone;
  }
};

}  // namespace

std::vector<Command> recipes_commands() {
  return {{"recipe", declare_args<RecipeArgs>},
          {"matrix", declare_args<MatrixArgs>},
          {"matrix status", declare_args<MatrixArgs, &MatrixArgs::declare_status, &MatrixArgs::status>},
          {"kernels", declare_args<WheelArgs, &WheelArgs::declare_kernels, &WheelArgs::kernels>},
          {"wheel check", declare_args<WheelArgs, &WheelArgs::declare_check, &WheelArgs::check>},
          {"wheel fix-names", declare_args<WheelArgs, &WheelArgs::declare_fix, &WheelArgs::fix>}};
}

}  // namespace torchpatch::cli
