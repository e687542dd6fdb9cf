// SPDX-License-Identifier: BSD-3-Clause
#include "cli/shared_options.h"

#include <algorithm>
#include <filesystem>

#include "cli/terminal.h"
#include "model/manifest.h"
#include "plan/image_choice.h"
#include "plan/make_plan.h"
#include "record/manifest_file.h"
#include "report/reports.h"
#include "sample/write_repositories.h"
#include "source/fetch/git_home.h"
#include "source/store/archive_source.h"
#include "support/background.h"
#include "support/digest.h"
#include "support/find.h"
#include "support/text.h"
#include "support/worker_pool.h"
#include "trees/doctor/doctor.h"
#include "trees/recipe/recipe.h"

namespace torchpatch::cli {

namespace {

constexpr const char* kSample = "sample";
constexpr int kMaxJobs = 256;

catalog::Layer embedded_layer(const std::string& source, const std::string& data) {
  return {source, concat(data, "/layers/", source), false};
}

/// Returns the layer that `--catalog text` names: a directory of the user's, else one that is shipped.
catalog::Layer named_layer(const std::string& text, const std::string& data) {
  if (is_directory(text)) return {base_name(absolute_path(text)), text};
  if (std::ranges::count(embedded_source_names(), text) > 0) return embedded_layer(text, data);
  throw Error(ErrorKind::environment, concat("--catalog ", quote(text), " is neither a directory nor a bundled layer"),
              concat("pass a directory with your releases/, boards/, known_issues/ or patchsets/ ('torchpatch audit "
                     "approve --key KEY --into DIR' makes one for approvals/), or the layer ",
                     join(embedded_source_names(), " or ")));
}

/// Returns the key of the KEY=VALUE that an option adds.
std::string add_entry(const std::string& option, const std::string& text, PlanOptions& options) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ErrorKind::usage, concat(option, " ", quote(text), " is not of the form KEY=VALUE"),
                "a lower-case key sets a fact (gcc=7.5), an upper-case key a build variable (USE_OPENCV=1)");
  }
  const auto [entry, is_new] = options.settings.emplace(text.substr(0, equals), text.substr(equals + 1));
  if (!is_new) throw Error(ErrorKind::usage, concat(option, " ", entry->first, " is given twice"));
  return entry->first;
}

void add_forced_setting(const std::string& text, PlanOptions& options) {
  const std::string name = add_entry(kForceSet, text, options);
  if (!is_variable_name(name)) {
    throw Error(ErrorKind::usage, concat(kForceSet, " ", quote(name), " is not a variable name"),
                "--set is for facts such as gcc or cross");
  }
  options.forced_settings.insert(name);
}

/// Lays the archives, if any, over another source.
std::unique_ptr<source::ObjectSource> with_archives(std::unique_ptr<source::ObjectSource> rest,
                                                    const std::vector<std::string>& archives, Context& context) {
  if (archives.empty()) return rest;
  std::vector<source::NamedArchive> named;
  for (const std::string& archive : archives) named.push_back(source::NamedArchive::parse(archive));
  const source::Cache cache(cache_directory(context.environment));
  return std::make_unique<source::ArchiveSource>(named, std::move(rest), cache, default_jobs(), context.console);
}

}  // namespace

Error usage_of(const std::string& command, const std::string& message) {
  return {ErrorKind::usage, message, concat("see 'torchpatch ", command, " --help'")};
}

void exclude(const std::string& one, bool has_one, const std::string& other, bool has_other) {
  if (has_one && has_other)
    throw Error(ErrorKind::usage, concat(one, " and ", other, " cannot be used together"), "remove one of them");
}

void declare_catalog_options(OptionSet& options, CatalogOptions& target) {
  options.values("--catalog", target.catalogs, "DIR",
                 "overlay another catalog: a directory, or the name of a bundled layer; may be repeated");
  options.choice("--source", target.source, embedded_source_names(),
                 "use an embedded stand-in for upstream, with its catalog layer");
}

std::vector<catalog::Layer> catalog_layers(const CatalogOptions& options, const Environment& environment) {
  const std::string data = data_directory(environment);
  std::vector<catalog::Layer> layers = {{kShippedLayer, data, false}};
  if (!options.source.empty()) layers.push_back(embedded_layer(options.source, data));
  std::vector<catalog::Layer> known = layers;  // whose names no other directory may have
  for (const std::string& source : embedded_source_names()) known.push_back(embedded_layer(source, data));
  for (const std::string& text : options.catalogs) {
    catalog::Layer named = named_layer(text, data);
    const auto is_it = [&](const auto& layer) { return real_path(layer.directory) == real_path(named.directory); };
    const auto has_its_name = [&](const auto& layer) { return layer.name == named.name && !is_it(layer); };
    if (std::ranges::any_of(known, has_its_name)) {
      throw Error(ErrorKind::usage,
                  concat("--catalog ", quote(text), ": there is another layer called ", quote(named.name)),
                  "a manifest identifies a layer by the last part of its directory: rename this one");
    }
    if (std::ranges::any_of(layers, is_it)) continue;
    known.push_back(named);
    layers.push_back(std::move(named));
  }
  return layers;
}

Catalog load_catalog(const CatalogOptions& options, const Environment& environment) {
  // A thread has a heap of its own. Loading leaves holes in it, which forked workers would fill page by page, each
  // first to be copied.
  return in_background([&] { return catalog::load_catalog(catalog_layers(options, environment)); }).get();
}

Catalog load_catalog(const CatalogOptions& options, const Environment& environment, const Manifest& manifest) {
  CatalogOptions layered = options;
  const std::vector<std::string> layers = trees::layers_of(manifest);
  for (const std::string& source : embedded_source_names())
    if (options.source.empty() && std::ranges::count(layers, source) > 0) layered.source = source;
  Catalog catalog = load_catalog(layered, environment);
  take_contents(catalog, [&](const Version& release, Component component, const ContentPin& content) {
    return release.text() == manifest.release &&
           std::ranges::any_of(manifest.repositories, [&](const ManifestRepository& each) {
             return each.path.component == component && each.content && each.content->commit == content.commit;
           });
  });
  return catalog;
}

void take_archives(const SourceOptions& options, Catalog& catalog) {
  std::map<RepositoryPath, Sha256> digests;
  for (const std::string& archive : options.archives) {
    const auto named = source::NamedArchive::parse(archive);
    digests[named.repository] = source::digest_of_archive(named);
  }
  take_contents(catalog, [&](const Version&, Component component, const ContentPin& content) {
    const Sha256* const digest = find_value(digests, RepositoryPath{component, ""});
    return digest && *digest == content.sha256;
  });
}

Catalog load_catalog(const CatalogOptions& options, const Environment& environment, const SourceOptions& source) {
  Catalog catalog = load_catalog(options, environment);
  take_archives(source, catalog);
  return catalog;
}

const std::vector<std::string>& embedded_source_names() {
  static const std::vector<std::string> names = {kSample};
  return names;
}

std::map<Version, std::map<Component, ObjectId>> write_embedded_source(const std::string& name,
                                                                       const std::string& directory,
                                                                       const std::vector<std::string>& only,
                                                                       const Environment& environment) {
  if (name != kSample) throw Error(ErrorKind::usage, concat("unknown source ", quote(name)));
  return sample::write_repositories(load_catalog({}, environment), directory, only);
}

std::string cache_directory(const Environment& environment) {
  const std::string cache = environment.directory("XDG_CACHE_HOME", "/.cache");
  if (!cache.empty()) return cache;
  throw Error(ErrorKind::environment, "no directory for the cache: neither XDG_CACHE_HOME nor HOME is set",
              "set one of them, or pass a directory of repositories with --mirror");
}

void declare_source_options(OptionSet& options, SourceOptions& target) {
  options.values(
      "--mirror", target.mirrors, "DIR",
      "use only the git repositories under DIR (any names); may be repeated; default: the cache, then the network");
  options.values("--archive", target.archives, "REPOSITORY=FILE",
                 "use files from a release archive (tar, tar.gz, tar.xz, tar.bz2, tar.zst, zip) of a component or "
                 "submodule, such as torch=pytorch-1.1.0.tar.gz; may be repeated; commits and trees come from the "
                 "mirrors, the cache or the network, unless the release pins the content of this file");
  options.flag("--offline", target.offline, "use the cache, but never the network");
  declare_fetch_options(options, target);
}

void declare_fetch_options(OptionSet& options, SourceOptions& target) {
  options.values("--url-map", target.url_maps, "OLD=NEW",
                 "replace OLD at the beginning of URLs with NEW; the longest match wins; may be repeated; NEW is a "
                 "URL with https, ssh, git, http or file");
  options.flag("--credentials", target.credentials,
               "let git authenticate with the credential.* settings in your git configuration and with your ssh keys");
  declare_config_options(options, target.config, false);
}

source::NetworkOptions network_options(const SourceOptions& options, const Environment& environment) {
  source::NetworkOptions network;
  network.cache = cache_directory(environment);
  network.offline = options.offline;
  network.url_map = source::UrlMap(options.url_maps);
  const Config config = settled_config(options.config, environment);
  network.fetch.retries = *config.retries;
  network.fetch.timeouts = {std::chrono::seconds(*config.connect_timeout), std::chrono::seconds(*config.idle_timeout),
                            std::chrono::seconds(*config.timeout)};
  network.fetch.network = source::network_variables(environment.variables);
  source::settle_certificate_authorities(network.fetch.network, data_directory(environment));
  network.fetch.home = environment.variable("HOME");
  if (options.credentials) network.fetch.credentials = source::read_credentials(environment.variables);
  return network;
}

void check_source_options(const SourceOptions& options, const std::string& embedded) {
  for (const std::string& archive : options.archives) source::NamedArchive::parse(archive);
  exclude("--source", !embedded.empty(), "--mirror", !options.mirrors.empty());
  exclude("--source", !embedded.empty(), "--archive", !options.archives.empty());
}

upkeep::WorkOrigin origin_of(const CatalogOptions& catalog, const SourceOptions& source) {
  const auto own_path = [](const std::string& path) { return is_directory(path) ? absolute_path(path) : path; };
  return {collect(catalog.catalogs, own_path), catalog.source, collect(source.mirrors, own_path)};
}

namespace {

/// Where it is noted that the user named a catalog directory for a work; empty without a home.
std::string note_of_catalog(const std::string& work, const std::string& directory, const Environment& environment) {
  const std::string state = environment.directory("XDG_STATE_HOME", "/.local/state");
  // The work may not be there yet.
  const std::string place = std::filesystem::weakly_canonical(absolute_path(work)).string();
  return state.empty() ? "" : concat(state, "/catalogs/", sha256(concat(place, "\n", real_path(directory))).hex());
}

}  // namespace

void note_catalogs(const std::string& work, const std::vector<std::string>& catalogs,
                   const Environment& environment) try {
  for (const std::string& catalog : catalogs) {
    const std::string note = note_of_catalog(work, catalog, environment);
    if (note.empty() || !is_directory(catalog) || file_exists(note)) continue;
    make_directories(parent_path(note));
    write_file_atomically(note, real_path(catalog) + "\n");
  }
} catch (const Error&) {  // then it has to be named again
}

bool was_named(const std::string& work, const std::string& directory, const Environment& environment) {
  const std::string note = note_of_catalog(work, directory, environment);
  return !note.empty() && file_exists(note);
}

void require_named(const std::string& work, const upkeep::WorkOrigin& origin, const std::vector<std::string>& named,
                   const Environment& environment) {
  const std::vector<std::string> typed = collect(named, real_path);
  for (const std::string& catalog : origin.catalogs) {
    const bool is_named = std::ranges::count(typed, real_path(catalog)) > 0 || was_named(work, catalog, environment);
    if (!is_directory(catalog) || is_named) continue;
    throw Error(ErrorKind::unsafe,
                concat("the work ", quote(work), " names the catalog ", quote(catalog),
                       ", which you did not allow on this machine"),
                concat("to let its proofs run and its files change, add --catalog ", shell_quote(catalog)));
  }
}

OpenSource open_source(const SourceOptions& options, const std::string& embedded, Context& context,
                       const std::vector<std::string>& releases) {
  const Environment& environment = context.environment;
  OpenSource opened;
  std::vector<std::string> mirrors = options.mirrors;
  if (!embedded.empty()) {
    opened.embedded = std::make_unique<TempDir>();
    write_embedded_source(embedded, opened.embedded->path(), releases, environment);
    mirrors = {opened.embedded->path()};
  }
  if (mirrors.empty())
    opened.objects = std::make_unique<source::NetworkSource>(network_options(options, environment), context.console);
  else
    opened.objects = std::make_unique<source::MirrorSource>(mirrors, context.console);
  opened.objects = with_archives(std::move(opened.objects), options.archives, context);
  return opened;
}

OpenSource open_named_source(const SourceOptions& options, const std::string& embedded, Context& context,
                             const std::vector<std::string>& releases) {
  if (options.mirrors.empty() && options.archives.empty() && embedded.empty()) return {};
  return open_source(options, embedded, context, releases);
}

void declare_component_option(OptionSet& options, std::vector<std::string>& target) {
  options.values("--component", target, "COMPONENT",
                 "torch, vision or audio; may be repeated; default: all of the release");
}

std::vector<Component> components_from(const std::vector<std::string>& names) {
  std::vector<Component> components;
  for (const std::string& name : names) {
    const bool is_full = name == "torchvision" || name == "torchaudio";  // as the wheels are called
    const auto component = parse_name<Component>(is_full ? name.substr(5) : name);
    if (!component) {
      throw Error(ErrorKind::usage, concat("unknown component ", quote(name), ": there are torch, vision and audio"),
                  did_you_mean(name, {"torch", "vision", "audio"}));
    }
    components.push_back(*component);
  }
  return components;
}

void declare_jobs(OptionSet& options, int& jobs) {
  jobs = default_jobs();
  options.number("-j,--jobs", jobs, kMaxJobs, "worker processes; default: one per CPU");
}

void add_setting(const std::string& text, PlanOptions& options) { add_entry("--set", text, options); }

void declare_plan_options(OptionSet& options, PlanArgs& target, Need need) {
  options.value("--version", target.version, "VERSION",
                "PyTorch version to prepare, such as 1.1.0; newest: the newest certified one that fits the board",
                need);
  options.value("--board", target.board, "BOARD",
                "board to prepare for, such as tx2; auto: this machine's board and image", need);
  options.value("--image", target.image, "IMAGE",
                "system software of the board; auto: this host's; default: the board's default image for this "
                "release");
  options.value(
      "--host", target.host, "BOARD",
      "build machine, such as graviton2 or graviton2:ubuntu-18.04, which must run that image; without one, the first "
      "of its images that fits; default: the board itself");
  options.value(
      "--build-target", target.build_target, "CORE",
      "CPU core to optimise for, instead of the board's: generic, cortex-a53, cortex-a57, cortex-a72, cortex-a76, "
      "cortex-a78, thunderx2t99, neoverse-n1, neoverse-n2, neoverse-v1, neoverse-v2; neoverse: any of the four; "
      "native: the build machine's core; custom: only the flags of --set CFLAGS and --set CXXFLAGS");
  declare_component_option(options, target.components);
  options.values("--with", target.with_fixes, "FIX", "use this fix for its issue; may be repeated");
  options.values("--without", target.without_fixes, "FIX", "leave this fix out; may be repeated");
  options.values("--set", target.settings, "KEY=VALUE",
                 "set a fact (gcc=7.5) or a build variable (USE_OPENCV=1); may be repeated");
  options.values("--force-set", target.forced_settings, "NAME=VALUE",
                 "set a build variable even if this version is known not to read it; may be repeated");
  options.flag("--force", target.force, "continue even if the board does not support this version");
  options.flag("--unpatched", target.unpatched, "write the pinned tree without patches or added files");
  declare_catalog_options(options, target.catalog);
}

void declare_recipe_options(OptionSet& options, RecipeOptions& target) {
  options.choice("--kind", target.kind, names_of<RecipeKind>(), "where the build runs");
  options.value("--root", target.root, "DIR|SYSTEM",
                "use the packages of this system, such as debian-11, or of the system unpacked in DIR (with a '/'), "
                "instead of the image's");
  options.choice("--cuda", target.cuda, record::cuda_toolkits(),
                 "with --kind sysroot: use Debian's CUDA packages, for a board with a GPU");
}

void apply_recipe_options(const RecipeOptions& options, record::RecipeInput& input) {
  input.system = trees::system_of(options.root);
  if (!options.cuda.empty()) input.cuda = options.cuda;
}

PlanOptions plan_options(const PlanArgs& args) {
  PlanOptions options;
  const std::vector<Component> components = components_from(args.components);
  options.components = {components.begin(), components.end()};
  options.with_fixes = {args.with_fixes.begin(), args.with_fixes.end()};
  options.without_fixes = {args.without_fixes.begin(), args.without_fixes.end()};
  for (const std::string& setting : args.settings) add_setting(setting, options);
  for (const std::string& setting : args.forced_settings) add_forced_setting(setting, options);
  options.build_target = args.build_target;
  options.host = args.host;
  options.force = args.force;
  options.unpatched = args.unpatched;
  return options;
}

bool chooses_plan(const PlanArgs& args) {
  return !args.version.empty() || !args.board.empty() || !args.image.empty() || !args.host.empty() ||
         !args.build_target.empty() || !args.components.empty() || !args.with_fixes.empty() ||
         !args.without_fixes.empty() || !args.settings.empty() || !args.forced_settings.empty() || args.force ||
         args.unpatched;
}

std::vector<std::string> plan_words(const PlanArgs& args) {
  std::vector<std::string> words;
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  const auto add_all = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(option, value);
  };
  add("--version", args.version);
  add("--board", args.board);
  add("--image", args.image);
  add("--host", args.host);
  add("--build-target", args.build_target);
  add_all("--component", args.components);
  add_all("--with", args.with_fixes);
  add_all("--without", args.without_fixes);
  add_all("--set", args.settings);
  add_all(kForceSet, args.forced_settings);
  if (args.force) words.emplace_back("--force");
  if (args.unpatched) words.emplace_back("--unpatched");
  add_all("--catalog", args.catalog.catalogs);
  add("--source", args.catalog.source);
  return words;
}

std::string missing_of_pair(const PlanArgs& args) {
  std::vector<std::string> missing;
  if (args.version.empty()) missing.push_back("--version VERSION");
  if (args.board.empty()) missing.push_back("--board BOARD");
  return join(missing, ", ");
}

std::string settle_version(const std::string& version, const std::string& board, const std::string& image,
                           const PlanOptions& options, const Catalog& catalog, Console& console) {
  if (version != kNewest) return version;
  if (board.empty()) {
    throw Error(ErrorKind::usage, "--version newest needs --board",
                "it is the newest certified release that fits the board");
  }
  const Release* const newest = plan::newest_release(catalog, board, image, options);
  const std::string whom = concat("board ", quote(board), image.empty() ? "" : " with image " + quote(image));
  if (newest == nullptr) {
    throw Error(ErrorKind::usage, concat("--version newest: no certified release fits ", whom),
                plan::fitting_text(catalog, catalog.board(board), image));
  }
  console.status(concat("release ", newest->version.text(), " is the newest certified one that fits ", whom));
  return newest->version.text();
}

Error naming_releases(const Error& error, const Catalog& catalog, const std::string& version, const std::string& board,
                      const std::string& image) {
  if (error.kind() != ErrorKind::usage) return error;
  std::string fitting;
  try {
    const Board& target = catalog.board(board);
    fitting = plan::fitting_text(catalog, target, image);
    if (!plan::fitting_images(catalog.release(version), target, image, {}).empty()) return error;
  } catch (const Error&) {
    if (fitting.empty()) return error;  // it is the board or the image that is not there
  }
  const char* const separator = error.hint().empty() ? "" : ends_with(error.hint(), "?") ? " " : "; ";
  return {error.kind(), error.message(), concat(error.hint(), separator, fitting)};
}

Plan make_named_plan(const Catalog& catalog, const std::string& version, const std::string& board,
                     const std::string& image, const PlanOptions& options) {
  try {
    return plan::make_plan(catalog, version, board, image, options);
  } catch (const Error& error) {
    throw naming_releases(error, catalog, version, board, image);
  }
}

void settle_board(std::string& board, std::string& image, const std::string& root, const Catalog& catalog,
                  Context& context) {
  if (board != kAuto && image != kAuto) return;
  const HostFacts host = trees::read_host({root, root, context.environment.variables, {}});
  if (board == kAuto) {
    const trees::Recognised found = trees::recognise_board(catalog, host, root);
    context.console.status(concat("board: ", found.id, ", from ", found.reason));
    board = found.id;
    if (image.empty()) image = kAuto;
  }
  if (image != kAuto) return;
  const trees::Recognised found = trees::recognise_image(catalog.board(board), host, root);
  context.console.status(concat("image: ", found.id, ", from ", found.reason));
  image = found.id;
}

PlanArgs settled(PlanArgs args, const Catalog& catalog, Context& context) {
  settle_board(args.board, args.image, context.environment.root, catalog, context);
  if (args.version == kNewest)
    args.version = settle_version(kNewest, args.board, args.image, plan_options(args), catalog, context.console);
  return args;
}

Plan plan_from(const PlanArgs& typed, const Catalog& catalog, Context& context) {
  const PlanArgs args = settled(typed, catalog, context);
  Plan plan = make_named_plan(catalog, args.version, args.board, args.image, plan_options(args));
  // Not one of the plan's warnings, which are in the tree: that is the same where the image is named.
  if (args.image.empty() && plan.image != plan::default_image(*plan.release, *plan.board) &&
      !plan::fitting_images(*plan.release, *plan.board, plan.image->id, plan.options).empty()) {
    context.console.warning(concat("board ", quote(plan.board->id), " has no default image that fits release ",
                                   plan.release->version.text(), "; ", quote(plan.image->id),
                                   " is the first that does"));
  }
  return plan;
}

bool is_image_assumed(const PlanArgs& args, const Plan& plan) {
  return args.image.empty() && args.board != kAuto && plan.board->images.size() > 1;
}

void declare_report_options(OptionSet& options, ReportOptions& target, const std::vector<std::string>& formats) {
  options.choice("--format", target.format, formats, "form of the report; default: " + formats.front());
  options.value("--output", target.output, "FILE", "write the report to FILE instead of printing it");
  options.flag("--json", target.json, "print JSON");
}

void check_report_options(const ReportOptions& options) {
  exclude("--json", options.json, "--format", !options.format.empty());
}

void print_report(Context& context, const ReportOptions& options, const std::string& text) {
  if (options.output.empty()) return print(context, text);
  remove_left_over(options.output);
  write_file_atomically(options.output, text);
  context.console.status("wrote " + quote(options.output));
}

void require_tree_or_pair(const std::string& command, const std::string& tree, const PlanArgs& plan,
                          const std::string& else_name) {
  if (!tree.empty() && chooses_plan(plan))
    throw usage_of(command, "a prepared tree has its own release and board; remove the options that choose them");
  if (const std::string missing = missing_of_pair(plan); tree.empty() && !missing.empty())
    throw usage_of(command, concat("missing: ", missing, " (or ", else_name, ")"));
}

Manifest read_tree_manifest(const std::string& directory) {
  require_directory(directory, "reading the prepared tree " + quote(directory),
                    "pass a directory written by 'torchpatch prepare'");
  const std::string path = directory + "/torchpatch/manifest.json";
  if (!file_exists(path)) {
    throw Error(ErrorKind::environment,
                concat(quote(directory), " is not a prepared tree: it has no torchpatch/manifest.json"),
                "pass a directory written by 'torchpatch prepare'");
  }
  return record::parse_manifest(read_file(path), path);
}

std::optional<PreparedTree> open_prepared_tree(const std::string& directory, const CatalogOptions& options, int jobs,
                                               bool json, Context& context) {
  PreparedTree tree{trees::scan_prepared_tree(directory, jobs, context.console), {}, {}};
  tree.catalog = load_catalog(options, context.environment, tree.scanned.manifest);
  tree.report = trees::verify(tree.scanned, tree.catalog, {}, context.console);
  if (tree.report.differences.empty()) return tree;
  print_result(context, json, tree.report, report::verify_document(tree.report));
  return std::nullopt;
}

}  // namespace torchpatch::cli
