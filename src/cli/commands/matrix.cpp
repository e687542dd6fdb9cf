// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <ctime>

#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "record/matrix/matrix_files.h"
#include "report/reports.h"
#include "support/text.h"
#include "trees/matrix/matrix.h"
#include "trees/recipe/recipe.h"

namespace torchpatch::cli {

namespace {

struct MatrixLine {
  CatalogOptions catalog;
  std::string versions, boards, emit, cache, output;
  std::vector<std::string> images, components, with_fixes, without_fixes, settings;
  bool json = false;

  void declare(OptionSet& options) {
    options.value("--versions", versions, "RANGE", "releases to build, such as '>=1.4 <1.11'; '*' is all",
                  Need::required);
    options.value("--boards", boards, "BOARD,…", "boards to build for, with commas between them", Need::required);
    options.values(
        "--image", images, "IMAGE",
        "only this system software, of the boards that have it; may be repeated; default: what each board names for a "
        "release");
    options.choice("--emit", emit, names_of<MatrixEngine>(), "whose job files to write", Need::required);
    options.choice("--cache", cache, names_of<BuildCache>(), "what keeps or shares what was compiled; default: none");
    options.value("-o,--output", output, "DIR", "directory to write", Need::required);
    declare_component_option(options, components);
    options.values("--with", with_fixes, "FIX", "also use this optional fix; may be repeated");
    options.values("--without", without_fixes, "FIX", "leave this fix out; may be repeated");
    options.values("--set", settings, "KEY=VALUE", "as in prepare, for every pair; may be repeated");
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print JSON");
  }

  trees::MatrixRequest request() const {
    trees::MatrixRequest request;
    const std::optional<VersionRange> range = VersionRange::parse(versions);
    if (!range)
      throw usage_of("matrix", concat("--versions: ", quote(versions), " is not a range such as '>=1.4 <1.11'"));
    request.releases = *range;
    for (const std::string& board : split(boards, ',')) {
      if (std::ranges::count(request.boards, board) > 0)
        throw usage_of("matrix", concat("--boards: ", quote(board), " is there twice"));
      request.boards.push_back(board);
    }
    request.images = images;
    const std::vector<Component> chosen = components_from(components);
    request.options.components = {chosen.begin(), chosen.end()};
    request.options.with_fixes = {with_fixes.begin(), with_fixes.end()};
    request.options.without_fixes = {without_fixes.begin(), without_fixes.end()};
    for (const std::string& setting : settings) add_setting(setting, request.options);
    request.engine = *parse_name<MatrixEngine>(emit);
    request.cache = cache.empty() ? BuildCache::none : *parse_name<BuildCache>(cache);
    return request;
  }

  int run(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    const Matrix matrix = trees::plan_matrix(loaded, request());
    if (matrix.pairs.empty()) {
      const LeftOutPair& first = matrix.left_out.front();
      throw Error(ErrorKind::usage,
                  concat("no release and board go together; ", first.release, " on ", first.board, ": ", first.reason));
    }
    trees::write_generated(record::matrix_files(matrix), output, context.console);
    print_result(context, json, report::matrix_json(matrix, output), report::matrix_document(matrix, output));
    return kDone;
  }
};

struct MatrixStatusLine {
  std::string directory, results;
  ReportOptions form;

  void declare(OptionSet& options) {
    options.argument("DIR", directory, "a directory that matrix wrote", Need::required);
    options.value("--results", results, "DIR", "where the jobs left their reports, however deep; default: DIR/results");
    declare_report_options(options, form, {"text", "html"});
  }

  int run(Context& context) const {
    check_report_options(form);
    if (!results.empty()) {
      require_directory(results, "reading the reports in " + quote(results),
                        "name the folder that holds what the jobs left, or leave --results out");
    }
    const MatrixStatus status =
        trees::matrix_status(directory, results.empty() ? directory + "/results" : results, std::time(nullptr));
    for (const std::string& warning : status.warnings) context.console.warning(warning);
    print_report(context, form, text_of(status, context));
    return report::has_failed(status) ? kFindings : kDone;
  }

  std::string text_of(const MatrixStatus& status, const Context& context) const {
    if (form.json) return report_json(report::matrix_status_json(status));
    if (form.format == "html") return report::matrix_status_html(status);
    return document_text(report::matrix_status_document(status),
                         form.output.empty() ? text_style(context) : TextStyle{});
  }
};

}  // namespace

std::vector<Command> matrix_commands() {
  return {{.name = "matrix", .declare = declare_line<MatrixLine>},
          {.name = "matrix status", .declare = declare_line<MatrixStatusLine>}};
}

}  // namespace torchpatch::cli
