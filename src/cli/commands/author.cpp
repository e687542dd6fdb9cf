// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "catalog/marked_places.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "support/text.h"
#include "trees/doctor/doctor.h"
#include "upkeep/edit/new_entry.h"
#include "upkeep/edit/patch_work.h"
#include "upkeep/edit/remove_entry.h"

namespace torchpatch::cli {

namespace {

/// What board new and issue new have in common.
struct NewEntryLine {
  CatalogOptions catalog;
  std::string id, into;

  void declare(OptionSet& options, const std::string& kind) {
    options.argument("ID", id, concat("the ", kind, "'s id, which is also the name of its file"), Need::required);
    options.value("--into", into, "DIR", "catalog directory to write into; it is there", Need::required);
    declare_catalog_options(options, catalog);
  }

  upkeep::NewEntry entry(const Context& context) const {
    require_directory(into, concat("--into ", quote(into)), "'mkdir' makes a directory for a catalog of your own");
    return {id, into, catalog_layers(catalog, context.environment)};
  }

  static int conclude(const std::string& path, Context& context) {
    print(context, path + "\n");
    context.console.status(concat("next: write what belongs into the places marked ", catalog::kMarker,
                                  "; 'torchpatch check' with this catalog names those that are left"));
    return kDone;
  }
};

struct NewBoardLine {
  NewEntryLine entry;
  std::string like, root = "/";
  bool from_host = false;

  void declare(OptionSet& options) {
    entry.declare(options, "board");
    options.value("--like", like, "BOARD", "take over this board's figures, as unverified");
    options.flag("--from-host", from_host, "fill in what doctor reads of this machine");
    options.value("--root", root, "DIR",
                  "read etc, proc and usr below this directory; programs are those of PATH; default: /");
  }

  int run(Context& context) const {
    if (root != "/" && !from_host) throw usage_of("board new", "--root goes with --from-host");
    require_directory(root, "--root " + quote(root), "name a system that is mounted or unpacked there");
    HostFacts host;
    if (from_host) host = trees::read_host({root, ".", context.environment.variables, {}});
    const std::string path =
        upkeep::write_new_board({entry.entry(context), like, from_host ? &host : nullptr, context.environment.today()});
    return NewEntryLine::conclude(path, context);
  }
};

struct NewIssueLine {
  NewEntryLine entry;

  void declare(OptionSet& options) { entry.declare(options, "issue"); }
  int run(Context& context) const {
    return NewEntryLine::conclude(upkeep::write_new_issue(entry.entry(context)), context);
  }
};

/// What patch new and patch edit have in common.
struct PatchWorkLine {
  CatalogOptions catalog;
  SourceOptions source;
  upkeep::NewPatchWork wanted;

  void declare(OptionSet& options, const std::string& files) {
    options.argument("ID", wanted.patchset, "the patchset", Need::required);
    if (files.empty()) options.argument("VARIANT", wanted.variant, "the variant of the patchset", Need::required);
    options.arguments("PATH", wanted.files, files.empty() ? "further files that may change" : files);
    options.value("--version", wanted.version, "VERSION", "PyTorch version whose pinned files are written",
                  Need::required);
    options.value("--work", wanted.work, "DIR", "an empty or new directory to work in; default: ID");
    declare_catalog_options(options, catalog);
    declare_source_options(options, source);
  }

  int begin(upkeep::NewPatchWork work, Context& context) const {
    check_source_options(source, catalog.source);
    const std::vector<catalog::Layer> layers = catalog_layers(catalog, context.environment);
    const Catalog loaded = catalog::load_catalog(layers);
    if (work.work.empty()) work.work = work.patchset;
    work.today = context.environment.today();
    work.origin = origin_of(catalog, source);
    const OpenSource opened = open_source(source, catalog.source, context, {work.version});
    const upkeep::PatchWork made = upkeep::begin_patch_work(work, loaded, layers, *opened.objects, context.console);
    for (const upkeep::WorkFile& file : made.files)
      print(context, concat(work.work, "/", repository_directory(file.repository), "/", file.path, "\n"));
    context.console.status(
        concat("next: edit, 'git commit --amend -a' (its message is the patch's header), then "
               "'torchpatch patch refresh ",
               work.work, "'"));
    return kDone;
  }
};

struct NewPatchLine {
  PatchWorkLine line;
  std::string repository, into;

  void declare(OptionSet& options) {
    line.declare(options,
                 "files that the patch is to change, as its repository has them; one that is not there may be "
                 "made");
    options.value("--repository", repository, "REPOSITORY",
                  "torch, vision, audio, or a submodule such as torch:third_party/onnx", Need::required);
    options.value("--into", into, "DIR", "catalog directory that gets the patchset; it is there", Need::required);
  }

  int run(Context& context) const {
    require_directory(into, concat("--into ", quote(into)), "'mkdir' makes a directory for a catalog of your own");
    upkeep::NewPatchWork work = line.wanted;
    const auto path = RepositoryPath::parse(repository);
    if (!path) throw usage_of("patch new", concat("--repository ", quote(repository), " names no repository"));
    if (work.files.empty()) throw usage_of("patch new", "missing: PATH");
    work.repository = *path;
    work.into = into;
    return line.begin(std::move(work), context);
  }
};

struct EditPatchLine {
  PatchWorkLine line;

  void declare(OptionSet& options) { line.declare(options, ""); }
  int run(Context& context) const { return line.begin(line.wanted, context); }
};

/// The layers of the options, and a directory over them that is none of these.
std::vector<catalog::Layer> layers_with(const std::string& directory, const CatalogOptions& options,
                                        const Environment& environment) {
  std::vector<catalog::Layer> layers = catalog_layers(options, environment);
  const std::string path = real_path(directory);
  const bool is_known =
      std::ranges::any_of(layers, [&](const catalog::Layer& each) { return real_path(each.directory) == path; });
  if (!is_known) layers.push_back({base_name(path), directory});
  return layers;
}

struct RefreshPatchLine {
  std::string work;
  SourceOptions source;
  int jobs = 1;
  bool json = false;

  void declare(OptionSet& options) {
    options.argument("DIR", work, "a directory that patch new or patch edit wrote", Need::required);
    declare_source_options(options, source);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    const upkeep::PatchWork state = upkeep::read_patch_work(work);
    SourceOptions from = source;
    if (from.mirrors.empty()) from.mirrors = state.origin.mirrors;
    check_source_options(from, state.origin.source);
    const CatalogOptions catalog{state.origin.catalogs, state.origin.source};
    // A patchset that is new is not in any layer until it is written for the first time.
    const std::vector<catalog::Layer> layers = state.described.empty()
                                                   ? catalog_layers(catalog, context.environment)
                                                   : layers_with(state.directory, catalog, context.environment);
    const catalog::CatalogToCertify loaded = catalog::load_catalog_to_certify(layers, {});
    const OpenSource opened = open_source(from, state.origin.source, context, {state.version});
    const RefreshReport report = upkeep::refresh_patch_work(work, state, loaded, layers, *opened.objects,
                                                            context.environment.today(), jobs, context.console);
    print_result(context, json, report::refresh_json(report), report::refresh_document(report));
    return kDone;
  }
};

/// What release remove and patch remove have in common.
struct RemoveLine {
  CatalogOptions catalog;
  upkeep::RemoveOptions remove;
  bool json = false;

  void declare(OptionSet& options) {
    options.value("--into", remove.directory, "DIR", "catalog directory that has it", Need::required);
    options.flag("--cascade", remove.cascade, "take along what hangs on it");
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    require_directory(remove.directory, concat("--into ", quote(remove.directory)), "name the catalog that has it");
    const RemovalReport report =
        upkeep::remove_entry(remove, layers_with(remove.directory, catalog, context.environment), context.console);
    print_result(context, json, report::removal_json(report), report::removal_document(report, remove.cascade));
    return report.is_done ? kDone : kFindings;
  }
};

struct RemoveReleaseLine : RemoveLine {
  void declare(OptionSet& options) {
    options.argument("VERSION", remove.release, "the release", Need::required);
    RemoveLine::declare(options);
  }
};

struct RemovePatchLine : RemoveLine {
  void declare(OptionSet& options) {
    options.argument("PATCHSET", remove.patchset, "the patchset", Need::required);
    options.argument("VARIANT", remove.variant, "the variant; default: the whole patchset", Need::optional);
    RemoveLine::declare(options);
  }
};

}  // namespace

std::vector<Command> author_commands() {
  return {{.name = "board new", .declare = declare_line<NewBoardLine>},
          {.name = "issue new", .declare = declare_line<NewIssueLine>},
          {.name = "patch new", .declare = declare_line<NewPatchLine>},
          {.name = "patch edit", .declare = declare_line<EditPatchLine>},
          {.name = "patch refresh", .declare = declare_line<RefreshPatchLine>},
          {.name = "release remove", .declare = declare_line<RemoveReleaseLine>},
          {.name = "patch remove", .declare = declare_line<RemovePatchLine>}};
}

}  // namespace torchpatch::cli
