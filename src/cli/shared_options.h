// SPDX-License-Identifier: BSD-3-Clause
/// Options that several commands share. For each group there is a struct with their values, a function that declares
/// them on a command, and functions that turn the values into what the command works with:
///
///   CatalogOptions  --catalog, --source                      → load_catalog()
///   SourceOptions   --mirror, --archive, --offline, …        → open_source()
///   PlanArgs        --version, --board, --with, --set, …     → plan_from()
///   RecipeOptions   --kind, --root, --cuda                   → apply_recipe_options()
///   ReportOptions   --format, --output, --json               → print_report()
///
/// All of them raise Error of kind usage for values that are wrong or do not go together.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "cli/command.h"
#include "cli/run.h"
#include "model/catalog.h"
#include "model/differences.h"
#include "model/plan.h"
#include "model/repository_path.h"
#include "record/recipe/recipe.h"
#include "source/closure/object_source.h"
#include "source/fetch/network.h"
#include "support/error.h"
#include "support/file.h"
#include "support/json_fields.h"
#include "trees/verify/verify.h"
#include "upkeep/edit/patch_work.h"

namespace torchpatch::cli {

inline constexpr int kMaxSeconds = 7 * 24 * 3600;
inline constexpr int kMaxRetries = 100;

/// Network settings in config.json; also available as TORCHPATCH_* variables and as options (TORCHPATCH_IDLE_TIMEOUT,
/// --idle-timeout). They never change what is written or which servers are contacted: --offline, --url-map and
/// --credentials exist only as options.
struct Config {
  std::optional<int> connect_timeout, idle_timeout, timeout, retries;
  std::vector<std::string> origins{};  ///< of settled ones, in this order: a path, variable or option, or "default"
};
FIELDS(Config, ("schema", SchemaVersion{}),
       ("connect_timeout", self.connect_timeout, kOptional, Range{1, kMaxSeconds},
        "longest time in seconds to reach a server; default: 30"),
       ("idle_timeout", self.idle_timeout, kOptional, Range{1, kMaxSeconds},
        "longest time in seconds without progress in a fetch; default: 60"),
       ("timeout", self.timeout, kOptional, Range{1, kMaxSeconds},
        "longest time in seconds for one fetch, including retries; default: 3600"),
       ("retries", self.retries, kOptional, Range{0, kMaxRetries},
        "retries after a refused or broken connection, a timeout, or a response from a busy server; default: 3"))

/// Declares an option for each setting; without `is_listed` help does not list them.
void declare_config_options(OptionSet& options, Config& typed, bool is_listed);

/// Returns each setting from the first of: options, environment, file, default. Raises usage for a malformed variable;
/// data if the file does not match docs/formats.md; environment if it cannot be read.
Config settled_config(const Config& typed, const Environment& environment);

/// Returns an error of kind usage whose hint names the help of `command`.
Error usage_of(const std::string& command, const std::string& message);
/// Raises usage if both options are given.
void exclude(const std::string& one, bool has_one, const std::string& other, bool has_other);

// The catalog.

struct CatalogOptions {
  std::vector<std::string> catalogs;  ///< layers over the shipped catalog, in order
  std::string source;                 ///< an embedded source, or empty
};

void declare_catalog_options(OptionSet& options, CatalogOptions& target);

/// Returns the shipped catalog, the layer of the embedded source, and the user's layers; each overlays the previous
/// ones. Raises environment if a layer does not exist.
std::vector<catalog::Layer> catalog_layers(const CatalogOptions& options, const Environment& environment);
Catalog load_catalog(const CatalogOptions& options, const Environment& environment);
/// The same for a prepared tree: with its manifest's pins by content, and if it was prepared with an embedded source,
/// that source's layer from this installation.
Catalog load_catalog(const CatalogOptions& options, const Environment& environment, const Manifest& manifest);

// Where objects are read from.

struct SourceOptions {
  std::vector<std::string> mirrors;
  std::vector<std::string> archives;  ///< "torch=FILE"
  bool offline = false;
  std::vector<std::string> url_maps;
  bool credentials = false;
  Config config;  ///< as typed
};

void declare_source_options(OptionSet& options, SourceOptions& target);
/// Declares only --url-map, --credentials and the settings of Config.
void declare_fetch_options(OptionSet& options, SourceOptions& target);
/// Raises usage if an embedded source is combined with mirrors or archives, or an archive is not REPOSITORY=FILE.
void check_source_options(const SourceOptions& options, const std::string& embedded);

/// Pins by content each component whose pinned archive is given by --archive. Raises as source::digest_of_archive.
void take_archives(const SourceOptions& options, Catalog& catalog);
/// Returns the catalog after take_archives().
Catalog load_catalog(const CatalogOptions& options, const Environment& environment, const SourceOptions& source);

/// An open source of objects, and the temporary directory of an embedded one.
struct OpenSource {
  std::unique_ptr<TempDir> embedded;  ///< outlives `objects`
  std::unique_ptr<source::ObjectSource> objects;
};

/// Opens, in this order of preference, the embedded source of that name (written for `releases`; empty: all), the
/// mirrors, or the cache and the network; archives overlay any of them. Raises as network_options,
/// source::find_object_folders and source::open_archives.
OpenSource open_source(const SourceOptions& options, const std::string& embedded, Context& context,
                       const std::vector<std::string>& releases = {});
/// The same for commands with optional sources: returns no objects (null) unless a source is named.
OpenSource open_named_source(const SourceOptions& options, const std::string& embedded, Context& context,
                             const std::vector<std::string>& releases = {});

/// Returns the settings for fetching, from the options, the environment and the configuration. Raises usage: a
/// malformed --url-map; environment: no place for the cache, or unreadable credentials; and as settled_config.
source::NetworkOptions network_options(const SourceOptions& options, const Environment& environment);

/// Returns "$XDG_CACHE_HOME/torchpatch" or "$HOME/.cache/torchpatch". Raises environment if neither is set.
std::string cache_directory(const Environment& environment);

/// Returns the catalog and the sources for the record of a work directory, with absolute paths.
upkeep::WorkOrigin origin_of(const CatalogOptions& catalog, const SourceOptions& source);

// `patch refresh` and `port --continue` change catalogs recorded in a work directory, which may be another user's.

/// Records in the state directory that the user named these directories for a work or a project, which allows their
/// use. Names of layers are skipped.
void note_catalogs(const std::string& work, const std::vector<std::string>& catalogs, const Environment& environment);
/// Returns whether a directory was recorded.
bool was_named(const std::string& work, const std::string& directory, const Environment& environment);
/// Raises unsafe if a work uses a catalog directory that was neither recorded for it nor is in `named`.
void require_named(const std::string& work, const upkeep::WorkOrigin& origin, const std::vector<std::string>& named,
                   const Environment& environment);

/// Returns the names for `--source NAME`: upstreams whose repositories the program creates itself.
const std::vector<std::string>& embedded_source_names();
/// Writes the repositories of an embedded upstream below an existing, empty directory, for the releases in `only`
/// (empty: all). Returns the commits to pin.
std::map<Version, std::map<Component, ObjectId>> write_embedded_source(const std::string& name,
                                                                       const std::string& directory,
                                                                       const std::vector<std::string>& only,
                                                                       const Environment& environment);

// The plan.

struct PlanArgs {
  CatalogOptions catalog;
  std::string version, board, image, host, build_target;
  std::vector<std::string> components, with_fixes, without_fixes, settings, forced_settings;
  bool force = false, unpatched = false;
};

/// `need`: whether --version and --board are required.
void declare_plan_options(OptionSet& options, PlanArgs& target, Need need);

/// Returns the plan's options in the arguments, without release, board and image. Raises usage: a malformed or repeated
/// --set.
PlanOptions plan_options(const PlanArgs& args);
/// Returns the plan, which points into `catalog`. Warns if no image was named and the board has no matching default.
Plan plan_from(const PlanArgs& args, const Catalog& catalog, Context& context);
/// Returns the plan for a release and board not from options; an error lists the releases that the board supports.
Plan make_named_plan(const Catalog& catalog, const std::string& version, const std::string& board,
                     const std::string& image, const PlanOptions& options);
/// Returns the error, with the releases that the board supports in its hint if release, board and image do not match.
Error naming_releases(const Error& error, const Catalog& catalog, const std::string& version, const std::string& board,
                      const std::string& image);

/// The --version for the newest certified release that the board supports.
inline constexpr const char* kNewest = "newest";
/// Returns `version`, or the release for kNewest, which it prints on the console.
std::string settle_version(const std::string& version, const std::string& board, const std::string& image,
                           const PlanOptions& options, const Catalog& catalog, Console& console);
/// Returns the arguments with kNewest and kAuto resolved to release, board and image.
PlanArgs settled(PlanArgs args, const Catalog& catalog, Context& context);

/// The --board and --image for this host.
inline constexpr const char* kAuto = "auto";
/// Replaces kAuto by the board and image of the host below `root`, and prints the evidence. Raises as
/// trees::recognise_board and trees::recognise_image.
void settle_board(std::string& board, std::string& image, const std::string& root, const Catalog& catalog,
                  Context& context);

/// Returns true if an option chooses a plan; --catalog and --source do not.
bool chooses_plan(const PlanArgs& args);
/// Returns what is missing of "--version VERSION, --board BOARD", or empty text.
std::string missing_of_pair(const PlanArgs& args);
/// Returns true if no image is named and the board has others besides the plan's.
bool is_image_assumed(const PlanArgs& args, const Plan& plan);
/// Returns the options as typed: "--version", "1.1.0", "--board", …
std::vector<std::string> plan_words(const PlanArgs& args);
/// Adds the KEY=VALUE of a --set.
void add_setting(const std::string& text, PlanOptions& options);

/// --component: parts of a release.
void declare_component_option(OptionSet& options, std::vector<std::string>& target);
std::vector<Component> components_from(const std::vector<std::string>& names);

// A recipe.

struct RecipeOptions {
  std::string kind, root, cuda;
};

/// Declares --kind, --root and --cuda.
void declare_recipe_options(OptionSet& options, RecipeOptions& target);
/// Sets system and CUDA of a recipe. Raises as trees::system_of.
void apply_recipe_options(const RecipeOptions& options, record::RecipeInput& input);

// A prepared tree instead of a plan.

struct PreparedTree {
  trees::ScannedTree scanned;
  Catalog catalog;  ///< with the layers that the tree was prepared with
  VerifyReport report;
};

/// Raises usage unless either a prepared tree or a release and board are named. `else_name`: the alternative to release
/// and board, for messages.
void require_tree_or_pair(const std::string& command, const std::string& tree, const PlanArgs& plan,
                          const std::string& else_name = "a prepared tree");
/// Returns the manifest of a tree, even if a build changed the rest. Raises environment if there is none, and as
/// parse_manifest.
Manifest read_tree_manifest(const std::string& directory);
/// Returns a tree that is unchanged since prepare. Otherwise prints verify's report (as JSON if `json`), and returns
/// nothing. Raises as trees::scan_prepared_tree and load_catalog.
std::optional<PreparedTree> open_prepared_tree(const std::string& directory, const CatalogOptions& options, int jobs,
                                               bool json, Context& context);

// Reports, and the number of workers.

struct ReportOptions {
  std::string format;  ///< empty: the first one
  std::string output;  ///< file to write, or empty: stdout
  bool json = false;
};

/// The first of `formats` is the default.
void declare_report_options(OptionSet& options, ReportOptions& target, const std::vector<std::string>& formats);
/// Raises usage if both --json and --format are given.
void check_report_options(const ReportOptions& options);
/// Writes the report to the file, or to stdout. Raises environment.
void print_report(Context& context, const ReportOptions& options, const std::string& text);

/// --jobs; default: one per CPU.
void declare_jobs(OptionSet& options, int& jobs);

}  // namespace torchpatch::cli
