// SPDX-License-Identifier: BSD-3-Clause
#include <ctime>

#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "support/text.h"
#include "trees/storage/storage.h"

namespace torchpatch::cli {

namespace {

/// What mirror and bundle create have in common: they bring whole releases somewhere.
struct BringLine {
  std::vector<std::string> versions, components;
  std::string board, image;
  CatalogOptions catalog;
  SourceOptions source;
  bool json = false;

  void declare_choice(OptionSet& options) {
    options.values("--version", versions, "VERSION",
                   "PyTorch version to bring, such as 1.1.0; with --board also newest; may be repeated",
                   Need::required);
    declare_component_option(options, components);
    options.value("--board", board, "BOARD",
                  "only what this board needs; default: what any board may need, where some take other submodules");
    options.value("--image", image, "IMAGE", "system software of the board; default: what the board names");
  }

  void declare_places(OptionSet& options, int& jobs) {
    declare_source_options(options, source);
    declare_catalog_options(options, catalog);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  /// Returns which releases are to be brought, and for whom.
  trees::ReleaseChoice choice() const {
    if (!image.empty() && board.empty())
      throw Error(ErrorKind::usage, "--image needs --board", "an image is one of a board");
    return {versions, components_from(components), board, image};
  }

  /// Lets `action` bring what was chosen from the catalog and the source.
  template <typename Action>
  int bring(Context& context, Action action) const {
    trees::ReleaseChoice wanted = choice();
    check_source_options(source, catalog.source);
    const Catalog loaded = load_catalog(catalog, context.environment);
    PlanOptions options;
    options.components = {wanted.components.begin(), wanted.components.end()};
    for (std::string& version : wanted.versions)
      version = settle_version(version, board, image, options, loaded, context.console);
    const OpenSource opened = open_source(source, catalog.source, context, wanted.versions);
    const MirrorReport report = action(loaded, wanted, *opened.objects);
    print_result(context, json, report::mirror_json(report), report::mirror_document(report));
    return kDone;
  }
};

struct MirrorLine : BringLine {
  trees::MirrorOptions mirror;
  bool is_full = false;

  void declare(OptionSet& options) {
    declare_choice(options);
    options.value("-o,--output", mirror.output, "DIR", "folder to bring everything to; it may have some already",
                  Need::required);
    options.flag("--full", is_full, "fetch all branches, tags and histories as well");
    declare_places(options, mirror.jobs);
  }

  int run(Context& context) const {
    trees::MirrorOptions options = mirror;
    if (is_full && source.offline)
      throw Error(ErrorKind::usage, "--full fetches histories, which --offline forbids", "leave one of them out");
    if (is_full) options.histories = network_options(source, context.environment);
    return bring(context,
                 [&](const Catalog& loaded, const trees::ReleaseChoice& wanted, source::ObjectSource& objects) {
                   options.choice = wanted;
                   return trees::mirror(loaded, options, objects, context.console);
                 });
  }
};

struct BundleCreateLine : BringLine {
  trees::MirrorOptions bundle;

  void declare(OptionSet& options) {
    declare_choice(options);
    options.value("-o,--output", bundle.output, "FILE", "bundle to write, such as pytorch-1.1.0.bundle.tar",
                  Need::required);
    options.flag("--replace", bundle.replace, "write over a file that is there");
    declare_places(options, bundle.jobs);
  }

  int run(Context& context) const {
    trees::MirrorOptions options = bundle;
    trees::check_bundle_output(options);
    return bring(context,
                 [&](const Catalog& loaded, const trees::ReleaseChoice& wanted, source::ObjectSource& objects) {
                   options.choice = wanted;
                   return trees::create_bundle(loaded, options, objects, context.console);
                 });
  }
};

struct BundleUnpackLine {
  std::string file, output;
  int jobs = 1;
  bool json = false;

  void declare(OptionSet& options) {
    options.argument("FILE", file, "a file that bundle create wrote, or a copy of one", Need::required);
    options.value("-o,--output", output, "DIR", "folder to write; absent or empty", Need::required);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    const MirrorReport report = trees::unpack_bundle(file, output, jobs, context.console);
    print_result(context, json, report::mirror_json(report), report::mirror_document(report));
    return kDone;
  }
};

struct BundleVerifyLine {
  std::string file;
  CatalogOptions catalog;
  int jobs = 1;
  bool json = false;

  void declare(OptionSet& options) {
    options.argument("FILE", file, "a file that bundle create wrote, or a copy of one", Need::required);
    declare_catalog_options(options, catalog);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    const BundleReport report = trees::verify_bundle(file, loaded, jobs, context.console);
    print_result(context, json, report::bundle_json(report), report::bundle_document(report));
    return report.problems.empty() ? kDone : kFindings;
  }
};

/// A cache, or a folder that is kept as one.
struct CacheFolder {
  std::string named;
  int jobs = 1;
  bool json = false;

  void declare_named(OptionSet& options) {
    options.value("--directory", named, "DIR", "a folder that mirror wrote; default: the cache");
  }

  void declare_form(OptionSet& options) {
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  std::string directory(const Context& context) const {
    if (named.empty()) return cache_directory(context.environment);
    require_directory(named, "--directory " + quote(named), "name a folder that 'torchpatch mirror' wrote");
    return absolute_path(named);
  }
};

struct CacheListLine : CacheFolder {
  CatalogOptions catalog;

  void declare(OptionSet& options) {
    declare_named(options);
    declare_catalog_options(options, catalog);
    declare_form(options);
  }

  int run(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    const CacheReport report = trees::list_cache(directory(context), loaded, jobs, context.console);
    print_result(context, json, report::cache_json(report), report::cache_document(report));
    return kDone;
  }
};

struct CacheVerifyLine : CacheFolder {
  void declare(OptionSet& options) {
    declare_named(options);
    declare_form(options);
  }

  int run(Context& context) const {
    const CacheCheck check = trees::verify_cache(directory(context), jobs, context.console);
    print_result(context, json, report::cache_check_json(check), report::cache_check_document(check));
    if (check.problems.empty()) return kDone;
    context.console.warning(
        named.empty() ? "'torchpatch cache gc --damaged' removes what is damaged; the next run fetches it anew"
                      : "'torchpatch mirror' with the same releases brings anew what is damaged");
    return kFindings;
  }
};

/// A century: beyond it no difference of times means anything.
constexpr int kMostDays = 36'500;

struct CacheGcLine : CacheFolder {
  CatalogOptions catalog;
  trees::CollectOptions collect;
  int older_than = 0;

  void declare(OptionSet& options) {
    options.number("--older-than", older_than, kMostDays, "also what no run has used for so many days");
    options.flag("--damaged", collect.damaged, "also every repository in which something is damaged");
    options.flag("--all", collect.all, "everything");
    options.flag("-n,--dry-run", collect.dry_run, "only say what would go");
    declare_catalog_options(options, catalog);
    declare_form(options);
  }

  int run(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    trees::CollectOptions options = collect;
    if (older_than > 0) options.older_than = older_than;
    options.jobs = jobs;
    options.now = std::time(nullptr);
    const auto report = trees::collect_cache(directory(context), loaded, options, context.console);
    print_result(context, json, report::collect_json(report), report::collect_document(report));
    return kDone;
  }
};

}  // namespace

std::vector<Command> keep_commands() {
  return {{.name = "mirror", .declare = declare_line<MirrorLine>},
          {.name = "bundle create", .declare = declare_line<BundleCreateLine>},
          {.name = "bundle verify", .declare = declare_line<BundleVerifyLine>},
          {.name = "bundle unpack", .declare = declare_line<BundleUnpackLine>},
          {.name = "cache list", .declare = declare_line<CacheListLine>},
          {.name = "cache verify", .declare = declare_line<CacheVerifyLine>},
          {.name = "cache gc", .declare = declare_line<CacheGcLine>}};
}

}  // namespace torchpatch::cli
