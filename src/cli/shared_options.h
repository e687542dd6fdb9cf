// SPDX-License-Identifier: BSD-3-Clause
/// --catalog and --source: which catalog a command works with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "cli/command.h"
#include "cli/option_set.h"
#include "cli/source_options.h"
#include "model/catalog.h"
#include "model/plan.h"
#include "model/repository_path.h"
#include "ops/certify/certify.h"
#include "ops/keep/mirror.h"
#include "report/keep.h"

namespace torchpatch::cli {

struct CatalogOptions {
  std::vector<std::string> catalogs;  ///< layers over the shipped one, in order
  std::string source;                 ///< an embedded source, or empty
};

void declare_catalog_options(OptionSet& options, CatalogOptions& target);

/// A tree that was prepared from an embedded source is judged by that source's layer of this installation; only the
/// names of the layers are the tree's.
CatalogOptions with_embedded_layer(CatalogOptions options, const std::vector<std::string>& layers);

/// Loads the shipped catalog, the layer of the embedded source and the user's own, one over the other.
Catalog load_catalog(const CatalogOptions& options, const Environment& environment);

// The layers that the catalog options name, for commands that load them in another way than load_catalog.

/// Returns the shipped catalog, the layer of the embedded source and the user's own. Raises usage for a name of none.
std::vector<catalog::Layer> catalog_layers(const CatalogOptions& options, const Environment& environment);

// --component: which parts of a release.

void declare_component_option(OptionSet& options, std::vector<std::string>& target);

/// Returns the components of these names. Raises usage for a name that is none's.
std::vector<Component> components_from(const std::vector<std::string>& names);

// --jobs

/// Sets `jobs` to the number of processors and declares --jobs, which overrides it.
void declare_jobs(OptionSet& options, int& jobs);

// The options that decide a plan, shared by prepare and explain.

struct PlanLine {
  CatalogOptions catalog;
  std::string version, board, image, host;
  std::vector<std::string> components, with_fixes, without_fixes, settings;
  bool force = false, unpatched = false;
};

/// `need`: whether --version and --board must be given.
void declare_plan_options(OptionSet& options, PlanLine& target, Need need);

/// True where an option is given that chooses a plan: --catalog is one, --source alone is none.
bool chooses_plan(const PlanLine& line);
/// Returns what is missing of "--version VERSION, --board BOARD", or empty text.
std::string missing_of_pair(const PlanLine& line);

/// Adds the KEY=VALUE of --set. Raises usage where it has not that form, or the key is there already.
void add_setting(const std::string& text, PlanOptions& options);

/// Raises usage: a component or a setting of the wrong form, and everything make_plan raises. The plan points into
/// `catalog`.
Plan plan_from(const PlanLine& line, const Catalog& catalog);

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

// The options of the two commands that write recorded data: patch certify and results record.

/// Writes recorded data and returns the files written: ops::certify_patches or ops::record_results.
using Recorder = std::vector<std::string> (*)(const Catalog&, source::ObjectSource&, const ops::CertifyOptions&,
                                              Console&);

/// Declares the options; the action calls `record` and prints the files, one a line.
Action declare_recording(OptionSet& options, Recorder record);

// What the commands that bring whole releases somewhere (mirror, bundle create) have in common.

struct BringLine {
  std::vector<std::string> versions, components;
  std::string board, image;
  CatalogOptions catalog;
  SourceOptions source;
  bool json = false;
};

/// Declares --version, --component, --board and --image.
void declare_choice_options(OptionSet& options, BringLine& target);

/// Declares the options of sources, catalog and jobs, and --json.
void declare_bring_options(OptionSet& options, BringLine& target, int& jobs);

/// Returns which releases are to be brought, and for whom. Raises usage: an unknown component, an image without a
/// board.
ops::ReleaseChoice choice_from(const BringLine& line);

/// Opens catalog and source, lets `action` bring what was chosen, and prints its report; returns the exit code. Raises
/// as check_source_options, open_source and `action` do.
int bring(const BringLine& line, Context& context,
          const std::function<MirrorReport(const Catalog&, source::ObjectSource&)>& action);

}  // namespace torchpatch::cli
