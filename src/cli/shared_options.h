// SPDX-License-Identifier: BSD-3-Clause
/// Options that several commands have: the catalog, the source of objects, the plan, the form of the result.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "cli/command.h"
#include "cli/config.h"
#include "cli/run.h"
#include "model/catalog.h"
#include "model/plan.h"
#include "model/repository_path.h"
#include "model/verify.h"
#include "source/closure/object_source.h"
#include "source/fetch/network.h"
#include "support/error.h"
#include "support/file.h"
#include "trees/verify/verify.h"
#include "upkeep/edit/patch_work.h"

namespace torchpatch::cli {

/// Returns an error of kind usage that points to the help of `command`.
Error usage_of(const std::string& command, const std::string& message);

/// Raises usage where both options are given.
void exclude(const std::string& one, bool has_one, const std::string& other, bool has_other);

// --catalog and --source: which catalog a command works with.

struct CatalogOptions {
  std::vector<std::string> catalogs;  ///< layers over the shipped one, in order
  std::string source;                 ///< an embedded source, or empty
};

void declare_catalog_options(OptionSet& options, CatalogOptions& target);

/// A tree that was prepared from an embedded source is judged by that source's layer of this installation; only the
/// names of the layers are the tree's.
CatalogOptions with_embedded_layer(CatalogOptions options, const std::vector<std::string>& layers);

/// Returns the shipped catalog, the layer of the embedded source and the user's own, for one over the other. Raises
/// environment where there is none of that name.
std::vector<catalog::Layer> catalog_layers(const CatalogOptions& options, const Environment& environment);
/// Loads these layers.
Catalog load_catalog(const CatalogOptions& options, const Environment& environment);

/// Returns the names of the embedded upstreams, whose repositories the program itself writes, for `--source NAME`; each
/// is also that of its layer of the catalog.
const std::vector<std::string>& embedded_source_names();

/// Writes the repositories of the embedded upstream `name` below `directory`, which exists and is empty: those of the
/// releases in `only`, of all where there are none. Returns the commits to pin.
std::map<Version, std::map<Component, ObjectId>> write_embedded_source(const std::string& name,
                                                                       const std::string& directory,
                                                                       const std::vector<std::string>& only,
                                                                       const Environment& environment);

// --mirror, --archive, --offline and the options of fetching: where objects are read from.

struct SourceOptions {
  std::vector<std::string> mirrors;
  std::vector<std::string> archives;  ///< "torch=FILE"
  bool offline = false;
  std::vector<std::string> url_maps;
  bool credentials = false;
  Config config;  ///< as it was typed
};

void declare_source_options(OptionSet& options, SourceOptions& target);
/// Of these the options of fetching alone, from --url-map on.
void declare_fetch_options(OptionSet& options, SourceOptions& target);

/// Returns the cache's directory: "$XDG_CACHE_HOME/torchpatch", or "$HOME/.cache/torchpatch". Raises environment where
/// neither is set.
std::string cache_directory(const Environment& environment);

/// Returns how to fetch, by the options, the environment and the configuration. Raises usage: a malformed --url-map;
/// environment: no place for the cache, or credentials that cannot be read; and as settled_config.
source::NetworkOptions network_options(const SourceOptions& options, const Environment& environment);

/// Raises usage where an embedded source is named together with mirrors or archives, or an archive is not named as
/// REPOSITORY=FILE.
void check_source_options(const SourceOptions& options, const std::string& embedded);

/// Returns what a work says of the catalog and the sources that it began with: directories by their whole paths.
upkeep::WorkOrigin origin_of(const CatalogOptions& catalog, const SourceOptions& source);

/// The chosen source of objects, with the temporary directory that an embedded one was written into.
struct OpenSource {
  std::unique_ptr<TempDir> embedded;  ///< outlives `objects`
  std::unique_ptr<source::ObjectSource> objects;
};

/// `embedded`: name of an embedded source, which then is the only one, or empty; `releases`: those that will be read of
/// it (empty: any). Mirrors are read alone; without any, the cache, then the network. Archives come before either.
/// Raises as network_options, source::find_object_folders and source::open_archives.
OpenSource open_source(const SourceOptions& options, const std::string& embedded, Context& context,
                       const std::vector<std::string>& releases = {});

/// The same for commands that need no source: none (null) where neither mirrors, archives nor an embedded source are
/// named.
OpenSource open_named_source(const SourceOptions& options, const std::string& embedded, Context& context,
                             const std::vector<std::string>& releases = {});

// --component: which parts of a release.

void declare_component_option(OptionSet& options, std::vector<std::string>& target);

/// Returns the components of these names. Raises usage for a name that is none's.
std::vector<Component> components_from(const std::vector<std::string>& names);

// --jobs

/// Sets `jobs` to the number of processors and declares --jobs, which overrides it.
void declare_jobs(OptionSet& options, int& jobs);

// The options that decide a plan.

struct PlanArgs {
  CatalogOptions catalog;
  std::string version, board, image, host, build_target;
  std::vector<std::string> components, with_fixes, without_fixes, settings, forced_settings;
  bool force = false, unpatched = false;
};

/// `need`: whether --version and --board must be given.
void declare_plan_options(OptionSet& options, PlanArgs& target, Need need);

/// True where an option is given that chooses a plan; --catalog and --source are none.
bool chooses_plan(const PlanArgs& args);
/// Returns the options of a line as they would be typed again: "--version", "1.1.0", "--board", …
std::vector<std::string> plan_words(const PlanArgs& args);
/// Returns what is missing of "--version VERSION, --board BOARD", or empty text.
std::string missing_of_pair(const PlanArgs& args);

/// Adds the KEY=VALUE of --set. Raises usage where it has not that form, or the key is there already.
void add_setting(const std::string& text, PlanOptions& options);

/// Returns the line with the release that --version newest is (settle_version).
PlanArgs settled(PlanArgs args, const Catalog& catalog, Console& console);

/// Raises usage: a component or a setting of the wrong form, and as settle_version and make_named_plan do. The plan
/// points into `catalog`.
Plan plan_from(const PlanArgs& args, const Catalog& catalog, Console& console);

/// Returns true where the line names no image and the board of its plan has others than the one that was taken.
bool is_image_assumed(const PlanArgs& args, const Plan& plan);

/// The --version that stands for the newest certified release that fits the board.
inline constexpr const char* kNewest = "newest";

/// Returns `version`; for kNewest that release, and says which on the console. Raises usage: no board, no such release,
/// and as plan::newest_release does.
std::string settle_version(const std::string& version, const std::string& board, const std::string& image,
                           const PlanOptions& options, const Catalog& catalog, Console& console);

/// Returns the error; where release and board (or its image) do not go together, or there is no such release, its hint
/// ends with those that fit the board.
Error naming_releases(const Error& error, const Catalog& catalog, const std::string& version, const std::string& board,
                      const std::string& image);

/// Returns the plan. Raises as make_plan does, with the releases that fit.
Plan make_named_plan(const Catalog& catalog, const std::string& version, const std::string& board,
                     const std::string& image, const PlanOptions& options);

// --format, --output and --json of commands that write reports.

struct ReportOptions {
  std::string format;  ///< empty: the first one
  std::string output;  ///< file to write, or empty: stdout
  bool json = false;
};

/// The first of `formats` is the default.
void declare_report_options(OptionSet& options, ReportOptions& target, const std::vector<std::string>& formats);

/// Raises usage where --json and --format are both given.
void check_report_options(const ReportOptions& options);

/// Writes a report where it is wanted. Raises environment.
void print_report(Context& context, const ReportOptions& options, const std::string& text);

// A prepared tree that a command works with: verified before anything is said of it.

struct PreparedTree {
  trees::ScannedTree scanned;
  Catalog catalog;  ///< by the layers that the tree was prepared with
  VerifyReport report;
};

/// Raises usage where neither a prepared tree nor a release and board are named, or both are. `else_name`: what may be
/// named in place of release and board.
void require_tree_or_pair(const std::string& command, const std::string& tree, const PlanArgs& plan,
                          const std::string& else_name = "a prepared tree");

/// Returns the manifest of the tree at `directory`, whatever a build has made of the rest. Raises environment where it
/// has none, and as parse_manifest does.
Manifest read_tree_manifest(const std::string& directory);

/// Returns the tree at `directory` where it is what was prepared; else prints verify's report, as JSON where `json`,
/// and returns nothing. Raises as trees::scan_prepared_tree and load_catalog do.
std::optional<PreparedTree> open_prepared_tree(const std::string& directory, const CatalogOptions& options, int jobs,
                                               bool json, Context& context);

}  // namespace torchpatch::cli
