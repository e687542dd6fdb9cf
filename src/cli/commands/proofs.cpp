// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "catalog/load_catalog.h"
#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/check/check_report.h"
#include "report/reports.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"
#include "upkeep/check/check.h"
#include "upkeep/prove/prove.h"

namespace torchpatch::cli {

namespace {

struct CheckArgs {
  CatalogOptions catalog;
  SourceOptions source;
  upkeep::CheckOptions check;
  ReportOptions form;

  void declare(OptionSet& options) {
    source.offline = true;  // only --archive uses the cache
    options.values("--mirror", source.mirrors, "DIR",
                   "apply the patches to the pinned files, using the git repositories under DIR; may be repeated");
    options.values("--archive", source.archives, "REPOSITORY=FILE",
                   "also use files from a release archive, such as torch=pytorch-1.1.0.tar.gz; may be repeated");
    options.values("--version", check.releases, "VERSION", "only this release; may be repeated");
    options.values("--board", check.boards, "BOARD", "only this board; may be repeated");
    declare_catalog_options(options, catalog);
    declare_jobs(options, check.jobs);
    declare_report_options(options, form, {"table", "junit", "svg", "html"});
  }

  std::string text_of(const CheckReport& report, const Context& context) const {
    if (form.json) return report::check_json(report);
    if (form.format == "junit") return report::check_junit(report);
    if (form.format == "svg") return report::check_svg(report);
    if (form.format == "html") return report::check_html(report);
    return document_text(report::check_document(report), form.output.empty() ? text_style(context) : TextStyle{});
  }

  /// Returns "1 commit is not there, 2 commits are there but for some files".
  static std::string missing_text(const CheckReport& report) {
    const auto partial = static_cast<std::size_t>(std::ranges::count(report.missing, true, &MissingCommit::has_commit));
    const std::size_t gone = report.missing.size() - partial;
    std::vector<std::string> parts;
    if (gone > 0) parts.push_back(concat(gone, gone == 1 ? " commit is" : " commits are", " not there"));
    if (partial > 0)
      parts.push_back(
          concat(partial, partial == 1 ? " commit is" : " commits are", " available except for some files"));
    return join(parts, ", ");
  }

  CheckReport make_report(Context& context) const {
    const std::vector<catalog::Layer> layers = catalog_layers(catalog, context.environment);
    catalog::CatalogToCertify loaded = catalog::load_catalog_with_findings(layers);
    take_archives(source, loaded.catalog);
    CheckReport report;
    if (loaded.findings.empty()) {
      const OpenSource opened = open_named_source(source, catalog.source, context);
      report = upkeep::check(loaded.catalog, opened.objects.get(), check, context.console);
    }
    std::vector<Finding> findings = loaded.findings;
    std::ranges::move(report.findings, std::back_inserter(findings));
    report.findings = catalog::with_marked_places(layers, std::move(findings));
    return report;
  }

  int run(Context& context) const {
    check_source_options(source, catalog.source);
    check_report_options(form);
    const CheckReport report = make_report(context);
    print_report(context, form, text_of(report, context));
    if (!report.findings.empty() || !report.citations.wrong.empty() || count_cells(report).at(CellStatus::broken) > 0)
      return kFindings;
    if (report.missing.empty()) return kDone;
    throw Error(
        ErrorKind::source, concat("checking the catalog: ", missing_text(report), "; everything else was checked"),
        "the report lists them: pass a directory that contains them with --mirror, or fetch them into one with git");
  }
};

struct ProveArgs {
  CatalogOptions catalog;
  SourceOptions source;
  upkeep::ProveOptions prove;
  std::string record;
  bool require_tools = false, json = false;

  void declare(OptionSet& options) {
    options.arguments("PATCHSET", prove.patchsets, "patchsets to prove; default: all");
    options.values("--version", prove.releases, "VERSION",
                   "only this release; may be repeated; default: every release whose sources are available");
    options.value("--record", record, "DIR", "catalog directory to write the results to");
    options.value("--keep", prove.keep, "DIR",
                  "keep the trees, with everything that the proofs wrote, in this empty directory");
    options.flag("--require-tools", require_tools, "fail if a tool is missing");
    declare_catalog_options(options, catalog);
    declare_source_options(options, source);
    declare_jobs(options, prove.jobs);
    options.flag("--json", json, "print JSON");
  }

  bool is_finding(const ProofOutcome& outcome) const {
    if (outcome.verdict == ProofVerdict::no_tool) return require_tools;
    return outcome.verdict != ProofVerdict::proven;
  }

  int run(Context& context) const {
    check_source_options(source, catalog.source);
    const Catalog loaded = load_catalog(catalog, context.environment, source);
    const OpenSource opened = open_source(source, catalog.source, context);
    const ProveReport report = upkeep::prove(loaded, *opened.objects, prove, context.console);
    if (!record.empty())
      for (const std::string& file :
           upkeep::record_proofs(loaded, report, record, context.environment.today(), context.console))
        context.console.status("recorded " + file);
    print_result(context, json, report, report::prove_document(report));
    return std::ranges::any_of(report.proofs, [&](const ProofOutcome& each) { return is_finding(each); }) ? kFindings
                                                                                                          : kDone;
  }
};

/// patch certify, results record: write recorded data and print the files, one per line.
struct RecordingArgs {
  CatalogOptions catalog;
  SourceOptions source;
  upkeep::CertifyOptions into;
  bool with_results = false;

  void declare_record(OptionSet& options) {
    options.value("--into", into.directory, "DIR", "catalog directory to write to", Need::required);
    options.values("--version", into.releases, "VERSION", "only this release; may be repeated");
    declare_catalog_options(options, catalog);
    declare_source_options(options, source);
    declare_jobs(options, into.jobs);
  }
  void declare_certify(OptionSet& options) {
    options.arguments("PATCHSET", into.patchsets, "patchsets to certify; default: all");
    declare_record(options);
    options.flag("--results", with_results, "also record the results of certified plans, as 'results record' does");
  }

  int certify(Context& context) const {
    check_source_options(source, catalog.source);
    catalog::CatalogToCertify loaded = catalog::load_catalog_to_certify(catalog_layers(catalog, context.environment),
                                                                        {into.patchsets.begin(), into.patchsets.end()});
    take_archives(source, loaded.catalog);
    const OpenSource opened = open_source(source, catalog.source, context, into.releases);
    const upkeep::CertifyReport report = upkeep::certify_patches(loaded, *opened.objects, into, context.console);
    for (const std::string& file : report.written) print(context, file + "\n");
    for (const std::string& file : report.removed) context.console.status("removed " + file);
    if (with_results) write_results(*opened.objects, context);
    if (report.left_out.empty()) return kDone;
    throw Error(ErrorKind::patch,
                concat("not certified, since their sources were not found; everything else was written:\n  ",
                       join(report.left_out, "\n  ")),
                "pass a directory that contains them with --mirror, or select releases with --version");
  }

  int record(Context& context) const {
    check_source_options(source, catalog.source);
    const OpenSource opened = open_source(source, catalog.source, context, into.releases);
    write_results(*opened.objects, context);
    return kDone;
  }

  /// Loads the catalog again: after patch certify it has the new certificates.
  void write_results(source::ObjectSource& objects, Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment, source);
    for (const std::string& file : upkeep::record_results(loaded, objects, into, context.console))
      print(context, file + "\n");
  }
};

}  // namespace

std::vector<Command> proofs_commands() {
  return {{"check", declare_args<CheckArgs>},
          {"prove", declare_args<ProveArgs>},
          {"patch certify", declare_args<RecordingArgs, &RecordingArgs::declare_certify, &RecordingArgs::certify>},
          {"results record", declare_args<RecordingArgs, &RecordingArgs::declare_record, &RecordingArgs::record>}};
}

}  // namespace torchpatch::cli
