// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "plan/image_choice.h"
#include "report/reports.h"
#include "report/shown.h"
#include "report/site/site.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "trees/diagnose/diagnose.h"
#include "trees/flags/flags.h"
#include "trees/verify/verify.h"
#include "upkeep/docs/docs.h"

namespace torchpatch::cli {

namespace {

struct ExplainArgs {
  PlanArgs plan;
  std::string subject;  ///< a prepared tree, an issue, or empty
  int jobs = 1;
  bool all = false, json = false;

  void declare(OptionSet& options) {
    options.argument(
        "DIR|ISSUE", subject,
        "a prepared tree: explain its plan; or a known issue: explain why it applies to a release and board "
        "or does not; without these, print its details",
        Need::optional);
    declare_plan_options(options, plan, Need::optional);
    options.flag("--all", all, "also print the issues that do not apply, with reasons, and build scripts in full");
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON, with all issues");
  }

  /// A changed tree is not explained; verify's report is printed instead.
  int explain_tree(Context& context) const {
    const std::optional<PreparedTree> opened = open_prepared_tree(subject, plan.catalog, jobs, json, context);
    if (!opened) return kFindings;
    Plan made = trees::plan_again(opened->scanned.manifest, opened->catalog);
    made.chosen = opened->report.options;
    print_result(context, json, made, report::plan_document(made, opened->catalog, {all, false}));
    return kDone;
  }

  int explain_issue(const Catalog& catalog, Context& context) const {
    const Issue& issue = catalog.issue(subject);
    if (!chooses_plan(plan)) {
      const report::Listing entry = report::show_entry(catalog, "issue", issue.id);
      print_result(context, json, entry.json, entry.page);
      return kDone;
    }
    if (const std::string missing = missing_of_pair(plan); !missing.empty())
      throw usage_of("explain", concat("missing: ", missing));
    const Plan made = plan_from(plan, catalog, context);
    print_result(context, json, report::plan_of_issue(made, issue.id),
                 report::issue_plan_document(made, catalog, issue.id, {all, is_image_assumed(plan, made)}));
    return kDone;
  }

  /// If both a release and a board are given, a subject that is neither an issue nor a file may be a misspelt issue.
  bool is_issue(const Catalog& catalog) const {
    const bool is_there = file_exists(subject);
    const bool is_known = catalog.issues.contains(subject);
    if (is_known && is_there && !chooses_plan(plan)) {
      throw Error(
          ErrorKind::usage, concat(quote(subject), " is both a path and a known issue"),
          concat("write ", quote("./" + subject), " for the path, or use 'torchpatch show issue ", subject, "'"));
    }
    if (is_known || chooses_plan(plan)) return is_known || !is_there;
    return !is_there && subject.find('/') == std::string::npos && is_near_issue(catalog);
  }

  bool is_near_issue(const Catalog& catalog) const { return !nearest_names(subject, keys_of(catalog.issues)).empty(); }

  int run(Context& context) const {
    if (subject.empty()) require_tree_or_pair("explain", subject, plan);
    const Catalog catalog = load_catalog(plan.catalog, context.environment);
    if (!subject.empty() && is_issue(catalog)) return explain_issue(catalog, context);
    if (!subject.empty()) {
      require_tree_or_pair("explain", subject, plan);
      if (!file_exists(subject)) {
        throw Error(ErrorKind::environment, concat(quote(subject), " is neither a prepared tree nor a known issue"),
                    "pass a directory written by 'torchpatch prepare'; 'torchpatch list issues' shows the "
                    "issues");
      }
      return explain_tree(context);
    }
    const Plan made = plan_from(plan, catalog, context);
    print_result(context, json, made, report::plan_document(made, catalog, {all, is_image_assumed(plan, made)}));
    return kDone;
  }
};

struct DiagnoseArgs {
  std::string log;   ///< "-" or empty: stdin
  std::string tree;  ///< a prepared tree, or empty
  PlanArgs plan;
  bool json = false;

  void declare(OptionSet& options) {
    options.argument("LOG", log, "a file with the error or the whole log; default, and -: standard input",
                     Need::optional);
    options.value("--version", plan.version, "VERSION",
                  "PyTorch version being built, or newest; its issues come first");
    options.value("--board", plan.board, "BOARD", "target board; auto: this machine");
    options.value("--image", plan.image, "IMAGE",
                  "system software of the board; default: the board's default image for this release");
    options.values("--set", plan.settings, "KEY=VALUE", "set a fact, such as cross=true or gcc=12");
    options.value("--tree", tree, "OUT", "the prepared tree being built; issues that it already fixes are marked");
    declare_catalog_options(options, plan.catalog);
    options.flag("--json", json, "print JSON");
  }

  /// A tree changed by a build no longer verifies, so only its manifest is read.
  std::optional<Plan> plan_of(const std::optional<Manifest>& manifest, const Catalog& catalog, Context& context) const {
    if (manifest) return trees::plan_again(*manifest, catalog);
    if (plan.version.empty() || plan.board.empty()) return std::nullopt;
    return plan_from(plan, catalog, context);
  }

  /// Returns what is known if only a release or a board is given.
  trees::KnownTarget target_of(const Catalog& catalog, Context& context) const {
    trees::KnownTarget target;
    std::string board = plan.board, image = plan.image;
    settle_board(board, image, context.environment.root, catalog, context);
    if (!board.empty()) target.board = &catalog.board(board);
    if (!plan.version.empty()) target.release = &catalog.release(plan.version);
    if (!image.empty()) target.image = &plan::named_image(*target.board, image);
    target.settings = plan_options(plan).settings;
    return target;
  }

  void check() const {
    if (!tree.empty() && chooses_plan(plan))
      throw usage_of("diagnose", "a prepared tree has its own release and board; remove the options that choose them");
    if (plan.version.empty() && plan.board.empty() && chooses_plan(plan))
      throw usage_of("diagnose", "--image and --set need --version or --board");
    if (plan.board.empty() && (!plan.image.empty() || !plan.settings.empty() || plan.version == kNewest))
      throw usage_of("diagnose", "--image, --set and --version newest need --board");
  }

  int run(Context& context) const {
    check();
    std::optional<Manifest> manifest;
    if (!tree.empty()) manifest = read_tree_manifest(tree);
    const Catalog catalog = manifest ? load_catalog(plan.catalog, context.environment, *manifest)
                                     : load_catalog(plan.catalog, context.environment);
    const std::optional<Plan> made = plan_of(manifest, catalog, context);
    const bool is_piped = log.empty() || log == "-";
    if (!is_piped && log.find('/') == std::string::npos && type_at(log) == 0)
      throw Error(ErrorKind::environment, concat("opening ", quote(log), ": no such file"),
                  concat("for a line or a word: echo ", shell_quote(log), " | torchpatch diagnose"));
    const UniqueFd file = is_piped ? UniqueFd() : open_regular_file(log);
    const trees::KnownTarget target = made ? trees::KnownTarget{} : target_of(catalog, context);
    const auto pieces = pieces_of(is_piped ? STDIN_FILENO : file.get(), trees::kMaxLogBytes, is_piped ? "stdin" : log);
    Diagnosis found = made ? trees::diagnose(catalog, pieces, *made) : trees::diagnose(catalog, pieces, target);
    found.is_tree = manifest.has_value();
    found.is_image_assumed = made && !manifest && is_image_assumed(plan, *made);
    print_result(context, json, found, report::diagnosis_document(found));
    return found.matches.empty() ? kFindings : kDone;
  }
};

/// list, show
struct EntriesArgs {
  CatalogOptions catalog;
  std::string kind, name, board;
  bool json = false;

  void declare_list(OptionSet& options) {
    options.choice("KIND", kind, {"releases", "boards", "images", "issues", "fixes", "patchsets", "settings", "pairs"},
                   "what to list", Need::required);
    options.value("--board", board, "BOARD", "list only the releases, images or pairs that fit this board");
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print JSON");
  }

  report::Listing listing(const Catalog& loaded) const {
    const Board* const only = board.empty() ? nullptr : &loaded.board(board);
    if (kind == "pairs") {
      std::vector<FittingRelease> pairs;
      for (const auto& [id, each] : loaded.boards) {
        if (only && only != &each) continue;
        const std::vector<FittingRelease> fitting = plan::fitting_releases(loaded, each);
        pairs.insert(pairs.end(), fitting.begin(), fitting.end());
      }
      return report::list_pairs(pairs);
    }
    if (kind != "releases" || !only) return report::list_entries(loaded, kind, only);
    std::vector<FittingRelease> fitting = plan::fitting_releases(loaded, *only);
    plan::look_at_certificates(loaded, fitting);
    return report::list_fitting(fitting, *only);
  }

  int list(Context& context) const {
    if (!board.empty() && kind != "releases" && kind != "images" && kind != "pairs")
      throw usage_of("list", concat("--board works with releases, images and pairs, not with ", kind));
    const report::Listing entries = listing(load_catalog(catalog, context.environment));
    print_result(context, json, entries.json, entries.page);
    return kDone;
  }

  void declare_show(OptionSet& options) {
    options.choice("KIND", kind, {"release", "board", "image", "issue", "fix", "patchset", "setting"}, "what to show",
                   Need::required);
    options.argument("NAME", name, "the version or id; a board's alias; an image as BOARD:IMAGE", Need::required);
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print JSON");
  }

  int show(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    const report::Listing entry = report::show_entry(loaded, kind, name);
    print_result(context, json, entry.json, entry.page);
    return kDone;
  }
};

struct FlagsArgs {
  PlanArgs plan;
  std::vector<std::string> names;
  std::string script;
  bool json = false;

  void declare(OptionSet& options) {
    options.arguments("NAME", names, "variables to look up; default: all that the release reads");
    options.value("--version", plan.version, "VERSION", "PyTorch version, such as 1.1.0 or, with --board, newest",
                  Need::required);
    options.value("--check", script, "FILE",
                  "check the variables that a shell script, Dockerfile, Makefile or env file sets");
    options.value("--board", plan.board, "BOARD", "with --check: also compare with the plan for this board");
    options.value("--image", plan.image, "IMAGE",
                  "system software of the board; default: the board's default image for this release");
    declare_catalog_options(options, plan.catalog);
    options.flag("--json", json, "print JSON");
  }

  const Release& release_of_args(const Catalog& catalog, Context& context) const {
    return catalog.release(settle_version(plan.version, plan.board, plan.image, {}, catalog, context.console));
  }

  int check_script(const Catalog& catalog, Context& context) const {
    std::optional<Plan> made;
    if (!plan.board.empty()) made = plan_from(plan, catalog, context);
    const Release& release = made ? *made->release : release_of_args(catalog, context);
    const FlagCheckReport report =
        trees::check_flags(catalog, release, made ? &*made : nullptr, script, read_file(script, trees::kMaxScript));
    print_result(context, json, report, report::flag_check_document(report));
    return report.findings.empty() ? kDone : kFindings;
  }

  int run(Context& context) const {
    exclude("NAME", !names.empty(), "--check", !script.empty());
    if (script.empty() && !(plan.board.empty() && plan.image.empty()))
      throw usage_of("flags", "--board and --image need --check");
    if (plan.board.empty() && !plan.image.empty()) throw usage_of("flags", "--image needs --board");
    const Catalog catalog = load_catalog(plan.catalog, context.environment);
    if (!script.empty()) return check_script(catalog, context);
    const FlagsReport report = trees::flags(catalog, release_of_args(catalog, context), names);
    print_result(context, json, report,
                 names.empty() ? report::flags_document(report) : report::named_flags_document(report, catalog));
    const bool are_read = std::ranges::all_of(report.flags, [](const FlagFact& flag) { return !flag.read_at.empty(); });
    return are_read ? kDone : kFindings;
  }
};

struct DocsArgs {
  CatalogOptions catalog;
  std::string output, format = "html";
  bool replace = false, json = false;

  void declare(OptionSet& options) {
    options.value("-o,--output", output, "DIR", "directory to write", Need::required);
    options.choice("--format", format, {"html", "md", "man", "json"}, "form of the documentation; default: html");
    options.flag("--replace", replace, "replace documentation that torchpatch wrote before");
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print a JSON report of what was written");
  }

  std::vector<record::GeneratedFile> files_of(const SiteData& data) const {
    if (format == "html") return report::site_html(data);
    if (format == "md") return report::site_markdown(data);
    return format == "man" ? report::site_man(data) : report::site_json(data);
  }

  /// Returns the file to open.
  const char* first_page() const {
    if (format == "html") return "index.html";
    if (format == "md") return "README.md";
    return format == "man" ? "torchpatch-issues.7" : "torchpatch-docs.json";
  }

  int run(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    const std::vector<record::GeneratedFile> files = files_of(upkeep::make_site_data(loaded));
    const upkeep::WrittenDocs written =
        upkeep::write_docs(files, output, replace ? tree::IfExists::replace : tree::IfExists::refuse, context.console);
    const std::string first = concat(output, "/", first_page());
    print(context,
          json ? report_json(to_json(report::DocsReport{output, first, written.files, written.bytes}, JsonForm::report))
               : concat("wrote ", written.files, " files, ", (written.bytes + 500) / 1000, " kB, to ",
                        printable(output), "\nnext: open ", printable(first), "\n"));
    return kDone;
  }
};

}  // namespace

std::vector<Command> catalog_commands() {
  return {{"explain", declare_args<ExplainArgs>},
          {"diagnose", declare_args<DiagnoseArgs>},
          {"list", declare_args<EntriesArgs, &EntriesArgs::declare_list, &EntriesArgs::list>},
          {"show", declare_args<EntriesArgs, &EntriesArgs::declare_show, &EntriesArgs::show>},
          {"flags", declare_args<FlagsArgs>},
          {"docs", declare_args<DocsArgs>}};
}

}  // namespace torchpatch::cli
