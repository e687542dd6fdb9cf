// SPDX-License-Identifier: BSD-3-Clause
#include "ops/keep/cache.h"

#include <ctime>
#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/source_options.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "report/keep.h"

namespace torchpatch::cli {
namespace {

struct CacheLine {
  std::string directory;
  CatalogOptions catalog;
  ops::CollectOptions collect;
  int jobs = 1;
  int older_than = 0;
  bool json = false;

  report::Format format() const { return json ? report::Format::json : report::Format::text; }
};

/// A century: beyond it no difference of times means anything.
constexpr int kMostDays = 36'500;

std::string directory_of(const CacheLine& line, const Context& context) {
  if (line.directory.empty()) return cache_directory(context.environment);
  if (is_directory(line.directory)) return absolute_path(line.directory);
  throw Error(ErrorKind::usage, concat("--directory ", quote(line.directory), ": it is not a directory"));
}

int list(const CacheLine& line, Context& context) {
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  print(context, report::cache_report(ops::list_cache(directory_of(line, context), catalog, line.jobs, context.console),
                                      line.format()));
  return kDone;
}

int verify(const CacheLine& line, Context& context) {
  const std::string directory = directory_of(line, context);
  const CacheCheck check = ops::verify_cache(directory, line.jobs, context.console);
  print(context, report::cache_check(check, line.format()));
  if (check.problems.empty()) return kDone;
  context.console.warning(line.directory.empty()
                              ? "'torchpatch cache gc --damaged' removes what is damaged; the next run fetches it anew"
                              : "'torchpatch mirror' with the same releases brings anew what is damaged");
  return kFindings;
}

int collect(const CacheLine& line, Context& context) {
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  ops::CollectOptions options = line.collect;
  if (line.older_than > 0) options.older_than = line.older_than;
  options.jobs = line.jobs;
  options.now = std::time(nullptr);
  const std::string directory = cache_directory(context.environment);
  print(context,
        report::collect_report(ops::collect_cache(directory, catalog, options, context.console), line.format()));
  return kDone;
}

void declare_directory(OptionSet& options, CacheLine& line) {
  options.value("--directory", line.directory, "DIR", "a folder that mirror wrote; default: the cache");
}

void declare_form(OptionSet& options, CacheLine& line) {
  declare_jobs(options, line.jobs);
  options.flag("--json", line.json, "print JSON");
}

Action declare_cache_list(OptionSet& options) {
  const auto line = std::make_shared<CacheLine>();
  declare_directory(options, *line);
  declare_catalog_options(options, line->catalog);
  declare_form(options, *line);
  return [line](Context& context) { return list(*line, context); };
}

Action declare_cache_verify(OptionSet& options) {
  const auto line = std::make_shared<CacheLine>();
  declare_directory(options, *line);
  declare_form(options, *line);
  return [line](Context& context) { return verify(*line, context); };
}

Action declare_collect(OptionSet& options) {
  const auto line = std::make_shared<CacheLine>();
  options.number("--older-than", line->older_than, kMostDays, "also what no run has used for so many days");
  options.flag("--damaged", line->collect.damaged, "also every repository in which something is damaged");
  options.flag("--all", line->collect.all, "everything");
  options.flag("-n,--dry-run", line->collect.dry_run, "only say what would go");
  declare_catalog_options(options, line->catalog);
  declare_form(options, *line);
  return [line](Context& context) { return collect(*line, context); };
}

}  // namespace

Command cache_list_command() {
  return {.name = "cache list",
          .summary = "say what is in the cache, and which releases need it",
          .details =
              "The cache is $XDG_CACHE_HOME/torchpatch, or ~/.cache/torchpatch: what prepare has fetched. Each "
              "repository is listed with its size, and each commit in it with the day of its last use and the "
              "releases of the catalog that need it.",
          .examples = {"torchpatch cache list", "torchpatch cache list --directory ~/mirrors --json"},
          .declare = declare_cache_list};
}

Command cache_verify_command() {
  return {.name = "cache verify",
          .summary = "read and check every object in the cache",
          .details =
              "Checks each object of each repository against its id, and that each commit is there with all of its "
              "files. Exit code 1, with what is damaged, where anything is. A run that comes upon damage fetches "
              "the repository anew by itself.",
          .examples = {"torchpatch cache verify", "torchpatch cache verify --directory ~/mirrors"},
          .declare = declare_cache_verify};
}

Command cache_gc_command() {
  return {.name = "cache gc",
          .summary = "remove from the cache what nothing needs",
          .details =
              "Removes the commits that no release of the catalog needs, and what killed runs have left. With "
              "--older-than DAYS also what was not used for so long, with --damaged also repositories with damage in "
              "them, with --all everything. Where another run uses the cache, nothing is removed (exit code 7).",
          .examples = {"torchpatch cache gc --dry-run", "torchpatch cache gc --older-than 90"},
          .declare = declare_collect};
}

}  // namespace torchpatch::cli
