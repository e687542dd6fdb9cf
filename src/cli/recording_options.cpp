// SPDX-License-Identifier: BSD-3-Clause
#include "cli/recording_options.h"

#include <memory>

#include "cli/exit_codes.h"
#include "cli/job_options.h"

namespace torchpatch::cli {
namespace {

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

Action declare_recording(OptionSet& options, Recorder record) {
  const auto line = std::make_shared<RecordingLine>();
  options.value("--into", line->options.directory, "DIR", "catalog directory to write into", Need::required);
  options.values("--version", line->options.releases, "VERSION", "only this release; may be repeated");
  declare_catalog_options(options, line->catalog);
  declare_source_options(options, line->source);
  declare_jobs(options, line->options.jobs);
  return [line, record](Context& context) { return run_recorder(*line, record, context); };
}

}  // namespace torchpatch::cli
