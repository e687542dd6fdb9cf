// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include "cli/commands/commands.h"
#include "cli/prepared_tree.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "ops/diagnose/diagnose.h"
#include "ops/docs/docs.h"
#include "ops/verify/verify.h"
#include "report/reports.h"
#include "report/site/site.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

struct ExplainLine {
  PlanLine plan;
  std::string tree;  ///< a prepared tree, or empty
  int jobs = 1;
  bool json = false;

  void declare(OptionSet& options) {
    options.argument("DIR", tree, "a directory that prepare wrote: explain the plan that it was made with",
                     Need::optional);
    declare_plan_options(options, plan, Need::optional);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  /// A tree that is not what was prepared is not explained: verify's report says why.
  int explain_tree(Context& context) const {
    const std::optional<PreparedTree> opened = open_prepared_tree(tree, plan.catalog, jobs, json, context);
    if (!opened) return kFindings;
    const Plan made = ops::plan_again(opened->scanned.manifest, opened->catalog);
    print_result(context, json, report::plan_json(made, &opened->report), report::plan_document(made, &opened->report));
    return kDone;
  }

  int run(Context& context) const {
    require_tree_or_pair("explain", tree, plan);
    if (!tree.empty()) return explain_tree(context);
    const Catalog catalog = load_catalog(plan.catalog, context.environment);
    const Plan made = plan_from(plan, catalog);
    print_result(context, json, report::plan_json(made), report::plan_document(made));
    return kDone;
  }
};

/// Longest log that is read: that of a build with all commands has some 20 MB.
constexpr std::uint64_t kMaxLogBytes = std::uint64_t{256} << 20;

struct DiagnoseLine {
  std::string log;   ///< "-" or empty: stdin
  std::string tree;  ///< a prepared tree, or empty
  PlanLine plan;
  bool json = false;

  void declare(OptionSet& options) {
    options.argument("LOG", log, "a file with the error or the whole log; default, and -: what is piped in",
                     Need::optional);
    options.value("--version", plan.version, "VERSION", "PyTorch version that is built: its issues first");
    options.value("--board", plan.board, "BOARD", "board that it is built for");
    options.value("--image", plan.image, "IMAGE", "system software of the board; default: what the board names");
    options.values("--set", plan.settings, "KEY=VALUE", "set a fact, such as cross=true or gcc=12");
    options.value("--tree", tree, "OUT", "the prepared tree that is built: says what it answers already");
    declare_catalog_options(options, plan.catalog);
    options.flag("--json", json, "print JSON");
  }

  /// A tree that a build has changed is no longer what was prepared: its manifest alone is read.
  std::optional<Plan> plan_of(const std::optional<Manifest>& manifest, const Catalog& catalog) const {
    if (manifest) return ops::plan_again(*manifest, catalog);
    if (plan.version.empty() && plan.board.empty()) return std::nullopt;
    return plan_from(plan, catalog);
  }

  void check() const {
    if (!tree.empty() && chooses_plan(plan))
      throw usage_of("diagnose", "a prepared tree has its own release and board; leave out what chooses a plan");
    if (plan.version.empty() != plan.board.empty())
      throw usage_of("diagnose", concat("missing: ", missing_of_pair(plan)));
    if (plan.version.empty() && chooses_plan(plan))
      throw usage_of("diagnose", "--image and --set go with --version and --board");
  }

  int run(Context& context) const {
    check();
    std::optional<Manifest> manifest;
    if (!tree.empty()) manifest = read_tree_manifest(tree);
    const CatalogOptions layers =
        manifest ? with_embedded_layer(plan.catalog, ops::layers_of(*manifest)) : plan.catalog;
    const Catalog catalog = load_catalog(layers, context.environment);
    const std::optional<Plan> made = plan_of(manifest, catalog);
    const std::string text = log.empty() || log == "-" ? read_stdin(kMaxLogBytes) : read_file(log, kMaxLogBytes);
    Diagnosis found = ops::diagnose(catalog, text, made ? &*made : nullptr);
    found.is_tree = manifest.has_value();
    print_result(context, json, report::diagnosis_json(found), report::diagnosis_document(found));
    return found.matches.empty() ? kFindings : kDone;
  }
};

struct ListLine {
  CatalogOptions catalog;
  std::string kind;
  bool json = false;

  void declare(OptionSet& options) {
    options.choice("KIND", kind, {"releases", "boards", "issues", "patchsets"}, "what to list", Need::required);
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    const report::Listing listing = report::list_entries(load_catalog(catalog, context.environment), kind);
    print_result(context, json, listing.json, listing.page);
    return kDone;
  }
};

struct ShowLine {
  CatalogOptions catalog;
  std::string kind, name;
  bool json = false;

  void declare(OptionSet& options) {
    options.choice("KIND", kind, {"release", "board", "issue", "patchset"}, "what to show", Need::required);
    options.argument("NAME", name, "its version or id; a board also by an alias", Need::required);
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    const report::Listing entry = report::show_entry(loaded, kind, name);
    print_result(context, json, entry.json, entry.page);
    return kDone;
  }
};

/// A form of the documentation.
struct DocsForm {
  const char* first;  ///< what there is to open
  std::vector<SiteFile> (*files)(const SiteData& data);
};

const std::map<std::string, DocsForm>& docs_forms() {
  static const std::map<std::string, DocsForm> forms = {{"html", {"index.html", report::site_html}},
                                                        {"md", {"README.md", report::site_markdown}},
                                                        {"man", {"torchpatch-issues.7", report::site_man}},
                                                        {"json", {"torchpatch-docs.json", report::site_json}}};
  return forms;
}

struct DocsLine {
  CatalogOptions catalog;
  std::string output, format = "html";
  bool replace = false, json = false;

  void declare(OptionSet& options) {
    options.value("-o,--output", output, "DIR", "directory to write", Need::required);
    options.choice("--format", format, {"html", "md", "man", "json"}, "form of the documentation; default: html");
    options.flag("--replace", replace, "swap documentation that torchpatch wrote before for the new one");
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print what was written as JSON");
  }

  int run(Context& context) const {
    const DocsForm& form = docs_forms().at(format);
    const Catalog loaded = load_catalog(catalog, context.environment);
    const ops::WrittenDocs written =
        ops::write_docs(form.files(ops::make_site_data(loaded)),
                        {output, replace ? tree::IfExists::replace : tree::IfExists::refuse}, context.console);
    const std::string first = output + "/" + form.first;
    print(context, json ? report_json(report::docs_json({output, first, written.files, written.bytes}))
                        : concat("wrote ", written.files, " files, ", (written.bytes + 500) / 1000, " kB, to ",
                                 printable(output), "\nnext: open ", printable(first), "\n"));
    return kDone;
  }
};

}  // namespace

std::vector<Command> catalog_commands() {
  return {
      {.name = "explain",
       .summary = "say why each known issue does or does not apply",
       .details =
           "Prints the plan that prepare would follow: every known issue with the reason why it applies or not, "
           "the patches in order, and the variables of the build. Reads the catalog only, no sources. Of a prepared "
           "tree it verifies that first (exit code 1 where it is not what was prepared), and says what whoever "
           "prepared it chose.",
       .examples = {"torchpatch explain --version 1.1.0 --board tx2",
                    "torchpatch explain --version 1.1.0 --board tx2 --set gcc=7.5 --json", "torchpatch explain out"},
       .declare = declare_line<ExplainLine>},
      {.name = "diagnose",
       .summary = "find the known issue behind an error or a build log",
       .details =
           "Reads an error, one line or a whole log, from a file or from what is piped in, and names the known issues "
           "that it tells of, the likeliest first, with what to do. `match`: the telling words of a symptom are there; "
           "`possible`: it may be another cause. With a release and a board, or with the tree that is built, issues "
           "that concern them come first, and what prepare answers already is said. Exit code 1: no known issue has "
           "this text. The documentation's pages search by the same rules.",
       .examples = {"torchpatch diagnose build.log",
                    "out/torchpatch/build.sh 2>&1 | tee log; torchpatch diagnose log --tree out",
                    "echo \"ImportError: libcudnn.so.8: cannot open shared object file\" | torchpatch diagnose --json"},
       .declare = declare_line<DiagnoseLine>},
      {.name = "list",
       .summary = "list the releases, boards, known issues or patchsets there are",
       .examples = {"torchpatch list boards", "torchpatch list issues --json"},
       .declare = declare_line<ListLine>},
      {.name = "show",
       .summary = "show one release, board, known issue or patchset in full",
       .details = "Prints everything the catalog says of one entry, with where each figure comes from and which of "
                  "them nobody has verified.",
       .examples = {"torchpatch show board tx2", "torchpatch show issue cuda-threads-per-block"},
       .declare = declare_line<ShowLine>},
      {.name = "docs",
       .summary = "write the known issues, boards and releases as a site to read",
       .details =
           "Writes a site of plain files: a search that takes an error message or a whole build log and finds the "
           "known issue, a page for each issue, board, release and patchset, and the coverage map. It needs no "
           "server and no network, and without JavaScript there is an index of symptoms. The other forms are "
           "Markdown for GitHub, manual pages of section 7, and one JSON file (docs/formats.md).\n\n"
           "Everything comes from the catalog; the same catalog gives the same bytes. DIR is written whole or not "
           "at all; with --replace, documentation of before is swapped for the new one, unless somebody put other "
           "files into it.",
       .examples = {"torchpatch docs --output site",
                    "torchpatch docs --output man7 --format man && man -l man7/*cmake-4.7",
                    "torchpatch docs --catalog ~/our-boards --output site --replace"},
       .declare = declare_line<DocsLine>}};
}

}  // namespace torchpatch::cli
