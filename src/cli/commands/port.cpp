// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "upkeep/port/port.h"

namespace torchpatch::cli {

namespace {

bool is_all_done(const PortReport& report) {
  return report.left.empty() && report.skipped.empty() &&
         std::ranges::all_of(report.patchsets, [](const PortedPatchset& ported) {
           return ported.result != PortResult::conflict && ported.gates.empty();
         });
}

struct PortLine {
  CatalogOptions catalog;
  SourceOptions source;
  upkeep::PortRequest request;
  upkeep::PortOptions options;
  bool skip = false, abort = false, json = false, all = false;

  void declare(OptionSet& set) {
    set.argument("VERSION", request.version, "the release to carry patchsets to; it is in the catalog", Need::optional);
    set.arguments("PATCHSET", request.patchsets,
                  "default: those that answer an issue of this release and the one before");
    set.value("--from", request.from, "VARIANT",
              "begin with this variant; default: that of the nearest release before");
    set.flag("--keep-going", request.keeps_going, "go on behind conflicts, and write what is done");
    set.flag("--upstream", options.takes_upstream, "take what upstream seems to have as upstream's, without a proof");
    set.flag("--drop", options.drops_removed, "drop what is done to files that upstream removed");
    set.value("--work", options.work, "DIR", "directory for conflicts; default: port");
    set.flag("--continue", options.continues, "go on with what was settled there");
    set.flag("--skip", skip, "leave the first patchset there out that is not settled, and go on");
    set.flag("--abort", abort, "remove the directory; what --keep-going wrote stays");
    set.flag("--all", all, "print long lists whole");
    declare_catalog_options(set, catalog);
    declare_source_options(set, source);
    declare_jobs(set, options.jobs);
    set.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    upkeep::PortOptions chosen = options;
    if (chosen.work.empty()) chosen.work = "port";
    chosen.today = context.environment.today();
    chosen.continues = options.continues || skip;
    check_way();
    if (abort) {
      if (upkeep::abort_port(chosen.work))
        context.console.status("what --keep-going wrote into the catalog is still there");
      return kDone;
    }
    if (skip) context.console.status(concat("left out: ", upkeep::skip_in_port(chosen.work)));
    return carry(chosen.continues ? upkeep::read_port_request(chosen.work) : new_request(), chosen, context);
  }

  /// One of them: a new port, or a way to go on with one.
  void check_way() const {
    const bool goes_on = options.continues || skip || abort;
    const bool is_new = !request.version.empty() || !request.from.empty() || request.keeps_going;
    if (goes_on == is_new || int{options.continues} + int{skip} + int{abort} > 1)
      throw usage_of("port", goes_on ? "--continue, --skip and --abort go with --work, --upstream and --drop alone"
                                     : "missing: VERSION, or --continue, --skip or --abort");
  }

  upkeep::PortRequest new_request() const {
    upkeep::PortRequest made = request;
    made.origin = origin_of(catalog, source);
    return made;
  }

  /// port runs the proofs of its catalogs; one that came along with the work is not the user's.
  static void refuse_catalogs_in(const std::string& work, const std::vector<std::string>& catalogs) {
    for (const std::string& catalog : catalogs) {
      const bool is_elsewhere =
          starts_with(catalog, "/") && !starts_with(real_path(catalog) + "/", real_path(work) + "/");
      if (is_elsewhere || !is_directory(catalog)) continue;
      throw Error(ErrorKind::unsafe,
                  concat("the port in ", quote(work), " names the catalog ", quote(catalog),
                         ", whose proofs would be run, and which may have come along with it"),
                  "begin again with a catalog that lies elsewhere");
    }
  }

  int carry(const upkeep::PortRequest& what, const upkeep::PortOptions& chosen, Context& context) const {
    SourceOptions from = source;
    if (from.mirrors.empty()) from.mirrors = what.origin.mirrors;
    check_source_options(from, what.origin.source);
    const CatalogOptions layered{what.origin.catalogs, what.origin.source};
    if (chosen.continues) refuse_catalogs_in(chosen.work, layered.catalogs);
    const std::vector<catalog::Layer> layers = catalog_layers(layered, context.environment);
    const Catalog loaded = catalog::load_catalog(layers);
    const OpenSource opened = open_source(from, what.origin.source, context);
    const PortReport report = upkeep::port_patchsets(what, chosen, loaded, layers, *opened.objects, context.console);
    print_result(context, json, report, report::port_document(report, all));
    return is_all_done(report) ? kDone : kFindings;
  }
};

}  // namespace

Command port_command() { return {.name = "port", .declare = declare_line<PortLine>}; }

}  // namespace torchpatch::cli
