// SPDX-License-Identifier: BSD-3-Clause
#include "cli/shared_options.h"

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/source_options.h"
#include "plan/make_plan.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::cli {

namespace {

/// Returns the layer that `--catalog text` names: a directory of the user's, else one that is shipped.
catalog::Layer named_layer(const std::string& text, const std::string& data) {
  if (is_directory(text)) return {base_name(absolute_path(text)), text};
  for (const EmbeddedSource& source : embedded_sources()) {
    if (source.name == text) return {source.name, layer_directory(source, data)};
  }
  throw Error(ErrorKind::usage,
              concat("--catalog ", quote(text), " is neither a directory nor a layer that is shipped"));
}

struct RecordingLine {
  CatalogOptions catalog;
  SourceOptions source;
  ops::CertifyOptions options;
};

int run_recorder(const RecordingLine& line, Recorder record, Context& context) {
  check_source_options(line.source, line.catalog.source);
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  const OpenSource source =
      open_source(line.source, line.catalog.source, context.environment, context.console, line.options.releases);
  for (const std::string& file : record(catalog, *source.objects, line.options, context.console)) {
    print(context, file + "\n");
  }
  return kDone;
}

}  // namespace

void declare_catalog_options(OptionSet& options, CatalogOptions& target) {
  options.values("--catalog", target.catalogs, "DIR",
                 "lay another catalog over the shipped one: a directory of yours, or the name of a layer that is "
                 "shipped; may be repeated");
  options.choice("--source", target.source, embedded_source_names(),
                 "use an embedded stand-in for upstream, with its catalog layer");
}

std::vector<catalog::Layer> catalog_layers(const CatalogOptions& options, const Environment& environment) {
  const std::string data = data_directory(environment);
  std::vector<catalog::Layer> layers = {{"shipped", data}};
  if (!options.source.empty()) {
    const EmbeddedSource& source = find_embedded_source(options.source);
    layers.push_back({source.name, layer_directory(source, data)});
  }
  for (const std::string& text : options.catalogs) layers.push_back(named_layer(text, data));
  return layers;
}

CatalogOptions with_embedded_layer(CatalogOptions options, const std::vector<std::string>& layers) {
  if (!options.source.empty()) return options;
  for (const EmbeddedSource& source : embedded_sources()) {
    if (std::find(layers.begin(), layers.end(), source.name) != layers.end()) options.source = source.name;
  }
  return options;
}

Catalog load_catalog(const CatalogOptions& options, const Environment& environment) {
  return catalog::load_catalog(catalog_layers(options, environment));
}

void declare_component_option(OptionSet& options, std::vector<std::string>& target) {
  options.values("--component", target, "COMPONENT",
                 "torch, vision or audio; may be repeated; default: all of the release");
}

std::vector<Component> components_from(const std::vector<std::string>& names) {
  std::vector<Component> components;
  for (const std::string& name : names) {
    const auto component = parse_component(name);
    if (!component) {
      throw Error(ErrorKind::usage, concat("unknown component ", quote(name), ": there are torch, vision and audio"),
                  did_you_mean(name, {"torch", "vision", "audio"}));
    }
    components.push_back(*component);
  }
  return components;
}

namespace {
constexpr int kMaxJobs = 256;
}

void declare_jobs(OptionSet& options, int& jobs) {
  jobs = default_jobs();
  options.number("-j,--jobs", jobs, kMaxJobs, "worker processes; default: one a processor");
}

void add_setting(const std::string& text, PlanOptions& options) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ErrorKind::usage, concat("--set ", quote(text), " is not of the form KEY=VALUE"),
                "a lower-case key sets a fact (gcc=7.5), an upper-case one a variable of the build (USE_OPENCV=1)");
  }
  const auto [entry, is_new] = options.settings.emplace(text.substr(0, equals), text.substr(equals + 1));
  if (!is_new) throw Error(ErrorKind::usage, concat("--set ", entry->first, " is given twice"));
}

void declare_plan_options(OptionSet& options, PlanLine& target, Need need) {
  options.value("--version", target.version, "VERSION", "PyTorch version to prepare, such as 1.1.0", need);
  options.value("--board", target.board, "BOARD", "board to prepare for, such as tx2", need);
  options.value("--image", target.image, "IMAGE", "system software of the board; default: what the board names");
  options.value("--host", target.host, "BOARD",
                "machine that builds, such as graviton2 or graviton2:ubuntu-18.04; default: the board itself");
  declare_component_option(options, target.components);
  options.values("--with", target.with_fixes, "FIX", "use this fix for its issue; may be repeated");
  options.values("--without", target.without_fixes, "FIX", "leave this fix out; may be repeated");
  options.values("--set", target.settings, "KEY=VALUE",
                 "set a fact (gcc=7.5) or a variable of the build (USE_OPENCV=1); may be repeated");
  options.flag("--force", target.force, "go on where the version and the board do not fit together");
  options.flag("--unpatched", target.unpatched, "the pinned tree as it is: no patch, no added file");
  declare_catalog_options(options, target.catalog);
}

bool chooses_plan(const PlanLine& line) {
  return !line.version.empty() || !line.board.empty() || !line.image.empty() || !line.host.empty() ||
         !line.components.empty() || !line.with_fixes.empty() || !line.without_fixes.empty() ||
         !line.settings.empty() || !line.catalog.catalogs.empty() || line.force || line.unpatched;
}

std::string missing_of_pair(const PlanLine& line) {
  std::vector<std::string> missing;
  if (line.version.empty()) missing.push_back("--version VERSION");
  if (line.board.empty()) missing.push_back("--board BOARD");
  return join(missing, ", ");
}

Plan plan_from(const PlanLine& line, const Catalog& catalog) {
  PlanOptions options;
  const std::vector<Component> components = components_from(line.components);
  options.components = {components.begin(), components.end()};
  options.with_fixes = {line.with_fixes.begin(), line.with_fixes.end()};
  options.without_fixes = {line.without_fixes.begin(), line.without_fixes.end()};
  for (const std::string& setting : line.settings) add_setting(setting, options);
  options.host = line.host;
  options.force = line.force;
  options.unpatched = line.unpatched;
  return plan::make_plan(catalog, line.version, line.board, line.image, options);
}

void declare_report_options(OptionSet& options, ReportOptions& target, const std::vector<std::string>& formats) {
  options.choice("--format", target.format, formats, "form of the report; default: " + formats.front());
  options.value("--output", target.output, "FILE", "write the report to FILE instead of printing it");
  options.flag("--json", target.json, "print JSON");
}

void check_report_options(const ReportOptions& options) {
  if (!options.json || options.format.empty()) return;
  throw Error(ErrorKind::usage, "--json and --format exclude each other", "leave one of them out");
}

void print_report(Context& context, const ReportOptions& options, const std::string& text) {
  if (options.output.empty()) {
    print(context, text);
  } else {
    write_file_atomically(options.output, text);
  }
}

Action declare_recording(OptionSet& options, Recorder record) {
  const auto line = std::make_shared<RecordingLine>();
  options.value("--into", line->options.directory, "DIR", "catalog directory to write into", Need::required);
  options.values("--version", line->options.releases, "VERSION", "only this release; may be repeated");
  declare_catalog_options(options, line->catalog);
  declare_source_options(options, line->source);
  declare_jobs(options, line->options.jobs);
  return [line, record](Context& context) { return run_recorder(*line, record, context); };
}

void declare_choice_options(OptionSet& options, BringLine& target) {
  options.values("--version", target.versions, "VERSION", "PyTorch version to bring, such as 1.1.0; may be repeated",
                 Need::required);
  declare_component_option(options, target.components);
  options.value("--board", target.board, "BOARD",
                "only what this board needs; default: what any board may need, where some take other submodules");
  options.value("--image", target.image, "IMAGE", "system software of the board; default: what the board names");
}

void declare_bring_options(OptionSet& options, BringLine& target, int& jobs) {
  declare_source_options(options, target.source);
  declare_catalog_options(options, target.catalog);
  declare_jobs(options, jobs);
  options.flag("--json", target.json, "print JSON");
}

ops::ReleaseChoice choice_from(const BringLine& line) {
  if (!line.image.empty() && line.board.empty()) {
    throw Error(ErrorKind::usage, "--image needs --board", "an image is one of a board");
  }
  return {line.versions, components_from(line.components), line.board, line.image};
}

int bring(const BringLine& line, Context& context,
          const std::function<MirrorReport(const Catalog&, source::ObjectSource&)>& action) {
  check_source_options(line.source, line.catalog.source);
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  const OpenSource source =
      open_source(line.source, line.catalog.source, context.environment, context.console, line.versions);
  const MirrorReport report = action(catalog, *source.objects);
  print(context, report::mirror_report(report, line.json ? report::Format::json : report::Format::text));
  return kDone;
}

}  // namespace torchpatch::cli
