// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "catalog/load_catalog.h"
#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "support/text.h"
#include "trees/doctor/doctor.h"
#include "upkeep/edit/entries.h"
#include "upkeep/edit/patch_work.h"

namespace torchpatch::cli {

namespace {

/// board new, issue new
struct NewEntryArgs {
  CatalogOptions catalog;
  std::string id, into, like, root = "/";
  bool from_host = false;

  void declare(OptionSet& options, const std::string& kind) {
    options.argument("ID", id, concat("the ", kind, "'s id, also the name of its file"), Need::required);
    options.value("--into", into, "DIR", "existing catalog directory to write to", Need::required);
    declare_catalog_options(options, catalog);
  }
  void declare_issue(OptionSet& options) { declare(options, "issue"); }
  void declare_board(OptionSet& options) {
    declare(options, "board");
    options.value("--like", like, "BOARD", "copy this board's figures, marked as unverified");
    options.flag("--from-host", from_host, "fill in the values that doctor reads from this machine");
    options.value("--root", root, "DIR",
                  "read etc, proc and usr under this directory; programs come from PATH; default: /");
  }

  upkeep::NewEntry entry(const Context& context) const {
    require_directory(into, concat("--into ", quote(into)), "create a catalog directory with 'mkdir'");
    return {id, into, catalog_layers(catalog, context.environment)};
  }

  static int conclude(const std::string& path, Context& context) {
    print(context, path + "\n");
    context.console.status(concat("next: fill in the places marked ", catalog::kMarker,
                                  "; 'torchpatch check' with this catalog lists the ones left"));
    return kDone;
  }

  int write_issue(Context& context) const {
    return conclude(upkeep::write_new_issue(entry(context), context.console), context);
  }
  int write_board(Context& context) const {
    if (root != "/" && !from_host) throw usage_of("board new", "--root needs --from-host");
    require_directory(root, "--root " + quote(root), "pass the root of a mounted or unpacked system");
    HostFacts host;
    if (from_host) host = trees::read_host({root, ".", context.environment.variables, {}});
    return conclude(upkeep::write_new_board(entry(context), like, from_host ? &host : nullptr,
                                            context.environment.today(), context.console),
                    context);
  }
};

/// Returns the layers of the options, with a directory as an additional one on top.
std::vector<catalog::Layer> layers_with(const std::string& directory, const CatalogOptions& options,
                                        const Environment& environment) {
  std::vector<catalog::Layer> layers = catalog_layers(options, environment);
  const std::string path = real_path(directory);
  const bool is_known =
      std::ranges::any_of(layers, [&](const catalog::Layer& each) { return real_path(each.directory) == path; });
  if (!is_known) layers.push_back({base_name(path), directory});
  return layers;
}

/// patch new, patch edit, patch refresh: work in a git repository that the first two create.
struct PatchWorkArgs {
  CatalogOptions catalog;
  SourceOptions source;
  upkeep::NewPatchWork wanted;
  std::string repository;
  int jobs = 1;
  bool json = false;

  void declare_work(OptionSet& options, const std::string& files) {
    options.arguments("PATH", wanted.files, files);
    options.value("--version", wanted.version, "VERSION", "PyTorch version whose pinned files to write",
                  Need::required);
    options.value("--work", wanted.work, "DIR", "an empty or new directory to work in; default: ID");
    declare_catalog_options(options, catalog);
    declare_source_options(options, source);
  }
  void declare_new(OptionSet& options) {
    options.argument("ID", wanted.patchset, "the patchset", Need::required);
    declare_work(options, "files that the patch may change, by their path in the repository; they need not exist");
    options.value("--repository", repository, "REPOSITORY",
                  "torch, vision, audio, or a submodule such as torch:third_party/onnx", Need::required);
    options.value("--into", wanted.into, "DIR", "existing catalog directory to add the patchset to", Need::required);
  }
  void declare_edit(OptionSet& options) {
    options.argument("ID", wanted.patchset, "the patchset", Need::required);
    options.argument("VARIANT", wanted.variant, "the variant of the patchset", Need::required);
    declare_work(options, "more files that may change");
  }
  void declare_refresh(OptionSet& options) {
    options.argument("DIR", wanted.work, "a directory written by patch new or patch edit", Need::required);
    options.values("--catalog", catalog.catalogs, "DIR",
                   "allow changes to this catalog of the work directory, if somebody else began the work");
    declare_source_options(options, source);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  int begin_new(Context& context) const {
    require_directory(wanted.into, concat("--into ", quote(wanted.into)), "create a catalog directory with 'mkdir'");
    upkeep::NewPatchWork work = wanted;
    const auto path = RepositoryPath::parse(repository);
    if (!path) throw usage_of("patch new", concat("--repository ", quote(repository), " is not a repository"));
    if (work.files.empty()) throw usage_of("patch new", "missing: PATH");
    work.repository = *path;
    return begin(std::move(work), context);
  }
  int begin_edit(Context& context) const { return begin(wanted, context); }

  int begin(upkeep::NewPatchWork work, Context& context) const {
    check_source_options(source, catalog.source);
    const std::vector<catalog::Layer> layers = catalog_layers(catalog, context.environment);
    const Catalog loaded = catalog::load_catalog(layers);
    if (work.work.empty()) work.work = work.patchset;
    work.today = context.environment.today();
    work.origin = origin_of(catalog, source);
    const OpenSource opened = open_source(source, catalog.source, context, {work.version});
    const upkeep::PatchWork made = upkeep::begin_patch_work(work, loaded, layers, *opened.objects, context.console);
    note_catalogs(work.work, work.origin.catalogs, context.environment);
    note_catalogs(work.work, {made.directory}, context.environment);
    for (const upkeep::WorkFile& file : made.files)
      print(context, concat(work.work, "/", repository_directory(file.repository), "/", file.path, "\n"));
    context.console.status(
        concat("next: edit, 'git commit --amend -a' (its message is the patch's header), then "
               "'torchpatch patch refresh ",
               shell_quote(work.work), "'"));
    return kDone;
  }

  int refresh(Context& context) const {
    const upkeep::PatchWork state = upkeep::read_patch_work(wanted.work);
    for (const std::string& named : catalog.catalogs)
      require_directory(named, concat("--catalog ", quote(named)), "pass one that the work directory refers to");
    upkeep::WorkOrigin changed = state.origin;
    changed.catalogs.push_back(state.directory);
    require_named(wanted.work, changed, catalog.catalogs, context.environment);
    note_catalogs(wanted.work, changed.catalogs, context.environment);
    SourceOptions from = source;
    if (from.mirrors.empty()) from.mirrors = state.origin.mirrors;
    check_source_options(from, state.origin.source);
    const CatalogOptions catalogs{state.origin.catalogs, state.origin.source};
    // A new patchset is not in any layer until it is first written.
    const std::vector<catalog::Layer> layers = state.described.empty()
                                                   ? catalog_layers(catalogs, context.environment)
                                                   : layers_with(state.directory, catalogs, context.environment);
    const catalog::CatalogToCertify loaded = catalog::load_catalog_to_certify(layers, {});
    const OpenSource opened = open_source(from, state.origin.source, context, {state.version});
    const RefreshReport report = upkeep::refresh_patch_work(wanted.work, state, loaded, layers, *opened.objects,
                                                            context.environment.today(), jobs, context.console);
    print_result(context, json, report, report::refresh_document(report));
    return kDone;
  }
};

/// release remove, patch remove
struct RemoveArgs {
  CatalogOptions catalog;
  upkeep::RemoveOptions remove;
  bool json = false;

  void declare(OptionSet& options) {
    options.value("--into", remove.directory, "DIR", "catalog directory to remove it from", Need::required);
    options.flag("--cascade", remove.cascade, "also remove everything that depends on the entry");
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print JSON");
  }
  void declare_release(OptionSet& options) {
    options.argument("VERSION", remove.release, "the release", Need::required);
    declare(options);
  }
  void declare_patch(OptionSet& options) {
    options.argument("PATCHSET", remove.patchset, "the patchset", Need::required);
    options.argument("VARIANT", remove.variant, "the variant; default: the whole patchset", Need::optional);
    declare(options);
  }

  int run(Context& context) const {
    require_directory(remove.directory, concat("--into ", quote(remove.directory)),
                      "pass the catalog that contains it");
    const RemovalReport report =
        upkeep::remove_entry(remove, layers_with(remove.directory, catalog, context.environment), context.console);
    print_result(context, json, report, report::removal_document(report, remove.cascade));
    return report.is_done ? kDone : kFindings;
  }
};

}  // namespace

std::vector<Command> author_commands() {
  return {{"board new", declare_args<NewEntryArgs, &NewEntryArgs::declare_board, &NewEntryArgs::write_board>},
          {"issue new", declare_args<NewEntryArgs, &NewEntryArgs::declare_issue, &NewEntryArgs::write_issue>},
          {"patch new", declare_args<PatchWorkArgs, &PatchWorkArgs::declare_new, &PatchWorkArgs::begin_new>},
          {"patch edit", declare_args<PatchWorkArgs, &PatchWorkArgs::declare_edit, &PatchWorkArgs::begin_edit>},
          {"patch refresh", declare_args<PatchWorkArgs, &PatchWorkArgs::declare_refresh, &PatchWorkArgs::refresh>},
          {"release remove", declare_args<RemoveArgs, &RemoveArgs::declare_release>},
          {"patch remove", declare_args<RemoveArgs, &RemoveArgs::declare_patch>}};
}

}  // namespace torchpatch::cli
