// SPDX-License-Identifier: BSD-3-Clause
#include <ctime>

#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "support/text.h"
#include "trees/storage/storage.h"

namespace torchpatch::cli {

namespace {

/// mirror, mirror verify, mirror unpack
struct MirrorArgs {
  std::vector<std::string> versions, components;
  std::string board, image, output, bundle;
  CatalogOptions catalog;
  SourceOptions source;
  int jobs = 1;
  bool replace = false, is_full = false, allow_partial = false, json = false;

  void declare(OptionSet& options) {
    options.values("--version", versions, "VERSION",
                   "PyTorch version to copy, such as 1.1.0 or, with --board, newest; may be repeated", Need::required);
    declare_component_option(options, components);
    options.value("--board", board, "BOARD",
                  "copy only what this board needs; default: what any board needs (submodules differ)");
    options.value("--image", image, "IMAGE",
                  "system software of the board; default: the board's default image for this release");
    options.value("-o,--output", output, "DIR", "directory to copy to; existing contents are kept");
    options.value("--bundle", bundle, "FILE",
                  "write one file with checksums instead of a directory, such as pytorch-1.1.0.bundle.tar");
    options.flag("--replace", replace, "with --bundle: replace an existing file");
    options.flag("--allow-partial", allow_partial,
                 "with --output: continue without files and submodules that no source has");
    options.flag("--full", is_full, "with --output: also fetch all branches, tags and history");
    declare_source_options(options, source);
    declare_catalog_options(options, catalog);
    declare_form(options);
  }
  void declare_form(OptionSet& options) {
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }
  void declare_file(OptionSet& options) {
    options.argument("FILE", bundle, "a file written by mirror --bundle", Need::required);
  }
  void declare_verify(OptionSet& options) {
    declare_file(options);
    declare_catalog_options(options, catalog);
    declare_form(options);
  }
  void declare_unpack(OptionSet& options) {
    declare_file(options);
    options.value("-o,--output", output, "DIR", "directory to write: new or empty", Need::required);
    declare_form(options);
  }

  void check() const {
    exclude("--output", !output.empty(), "--bundle", !bundle.empty());
    if (output.empty() && bundle.empty()) throw usage_of("mirror", "missing: --output DIR (or --bundle FILE)");
    exclude("--full", is_full, "--bundle", !bundle.empty());
    exclude("--allow-partial", allow_partial, "--bundle", !bundle.empty());
    if (replace && bundle.empty()) throw usage_of("mirror", "--replace needs --bundle");
    if (is_full && source.offline)
      throw Error(ErrorKind::usage, "--full fetches histories, which --offline forbids", "remove one of them");
    if (!image.empty() && board.empty())
      throw Error(ErrorKind::usage, "--image needs --board", "an image is one of a board");
    check_source_options(source, catalog.source);
  }

  int run(Context& context) const {
    check();
    trees::MirrorOptions folder{{versions, components_from(components), board, image}, output, jobs, std::nullopt};
    trees::MirrorOptions file{{}, bundle, jobs, std::nullopt, replace};
    if (!bundle.empty()) trees::check_bundle_output(file);
    if (allow_partial) folder.gaps = source::Gaps::allowed;
    if (is_full) folder.histories = network_options(source, context.environment);
    const Catalog loaded = load_catalog(catalog, context.environment);
    PlanOptions options;
    options.components = {folder.choice.components.begin(), folder.choice.components.end()};
    for (std::string& version : folder.choice.versions)
      version = settle_version(version, board, image, options, loaded, context.console);
    file.choice = folder.choice;
    const OpenSource opened = open_source(source, catalog.source, context, file.choice.versions);
    return conclude(bundle.empty() ? trees::mirror(loaded, folder, *opened.objects, context.console)
                                   : trees::create_bundle(loaded, file, *opened.objects, context.console),
                    context);
  }

  int unpack(Context& context) const {
    return conclude(trees::unpack_bundle(bundle, output, jobs, context.console), context);
  }

  int conclude(const MirrorReport& report, Context& context) const {
    print_result(context, json, report, report::mirror_document(report));
    return kDone;
  }

  int verify(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    const BundleReport report = trees::verify_bundle(bundle, loaded, jobs, context.console);
    print_result(context, json, report, report::bundle_document(report));
    return report.problems.empty() ? kDone : kFindings;
  }
};

/// A century: beyond it no difference of times means anything.
constexpr int kMostDays = 36'500;

/// cache list, cache verify, cache gc: of the cache, or of a folder that is kept as one.
struct CacheArgs {
  CatalogOptions catalog;
  trees::CollectOptions collect;
  std::string named;
  int older_than = 0, jobs = 1;
  bool json = false;

  void declare_named(OptionSet& options) {
    options.value("--directory", named, "DIR", "a directory written by mirror; default: the cache");
  }
  void declare_form(OptionSet& options) {
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }
  void declare_list(OptionSet& options) {
    declare_named(options);
    declare_catalog_options(options, catalog);
    declare_form(options);
  }
  void declare_verify(OptionSet& options) {
    declare_named(options);
    declare_form(options);
  }
  void declare_gc(OptionSet& options) {
    options.number("--older-than", older_than, kMostDays, "also remove commits unused for this many days");
    options.flag("--damaged", collect.damaged, "also remove every damaged repository");
    options.flag("--all", collect.all, "remove everything");
    options.flag("-n,--dry-run", collect.dry_run, "only print what would be removed");
    declare_catalog_options(options, catalog);
    declare_form(options);
  }

  std::string directory(const Context& context) const {
    if (named.empty()) return cache_directory(context.environment);
    require_directory(named, "--directory " + quote(named), "pass a directory written by 'torchpatch mirror'");
    return absolute_path(named);
  }

  int list(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    const CacheReport report = trees::list_cache(directory(context), loaded, jobs, context.console);
    print_result(context, json, report, report::cache_document(report));
    return kDone;
  }

  int verify(Context& context) const {
    const CacheCheck check = trees::verify_cache(directory(context), jobs, context.console);
    print_result(context, json, check, report::cache_check_document(check));
    if (check.problems.empty()) return kDone;
    context.console.warning(named.empty()
                                ? "'torchpatch cache gc --damaged' removes damaged data; the next run fetches it again"
                                : "'torchpatch mirror' with the same releases fetches damaged data again");
    return kFindings;
  }

  int gc(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    trees::CollectOptions options = collect;
    if (older_than > 0) options.older_than = older_than;
    options.jobs = jobs;
    options.now = std::time(nullptr);
    const auto report = trees::collect_cache(directory(context), loaded, options, context.console);
    print_result(context, json, report, report::collect_document(report));
    return kDone;
  }
};

}  // namespace

std::vector<Command> keep_commands() {
  return {{"mirror", declare_args<MirrorArgs>},
          {"mirror verify", declare_args<MirrorArgs, &MirrorArgs::declare_verify, &MirrorArgs::verify>},
          {"mirror unpack", declare_args<MirrorArgs, &MirrorArgs::declare_unpack, &MirrorArgs::unpack>},
          {"cache list", declare_args<CacheArgs, &CacheArgs::declare_list, &CacheArgs::list>},
          {"cache verify", declare_args<CacheArgs, &CacheArgs::declare_verify, &CacheArgs::verify>},
          {"cache gc", declare_args<CacheArgs, &CacheArgs::declare_gc, &CacheArgs::gc>}};
}

}  // namespace torchpatch::cli
