// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>

#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "model/text_rules.h"
#include "report/reports.h"
#include "support/text.h"
#include "upkeep/release/upstream_tags.h"

namespace torchpatch::cli {

namespace {

/// Returns the first second of a day such as 2019-04-30, since 1970. Raises usage.
std::int64_t first_second_of(const std::string& day) {
  using namespace std::chrono;
  const auto number = [&](std::size_t at, std::size_t count) {
    const std::size_t digit = std::min(day.find_first_not_of('0', at), at + count - 1);
    return static_cast<int>(parse_decimal(std::string_view(day).substr(digit, at + count - digit)).value_or(0));
  };
  const bool is_date = kDateRule.holds(day);
  const year_month_day date = is_date ? year{number(0, 4)} / number(5, 2) / number(8, 2) : year_month_day{};
  if (!is_date || !date.ok()) {
    throw Error(ErrorKind::usage, concat("--since ", quote(day), " is not ", kDateRule.description),
                "tags of that day and later ones are shown");
  }
  return duration_cast<seconds>(sys_days(date).time_since_epoch()).count();
}

struct OutdatedLine {
  std::vector<std::string> components;
  CatalogOptions catalog;
  SourceOptions source;
  bool pre_releases = false, json = false;
  std::string since;
  int jobs = 1;

  void declare(OptionSet& options) {
    options.arguments("COMPONENT", components, "torch, vision or audio; default: all");
    options.flag("--pre", pre_releases, "pre-releases are news as well");
    options.value("--since", since, "DATE", "leave out new tags whose commits are older, such as 2026-01-31");
    options.values("--mirror", source.mirrors, "DIR",
                   "ask nobody, and look at the tags of the git repositories below DIR, whatever they are called; may "
                   "be repeated");
    options.flag("--offline", source.offline, "never use the network: without --mirror, look at the cache");
    declare_fetch_options(options, source);
    declare_catalog_options(options, catalog);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  upkeep::OutdatedOptions outdated_options(const Context& context) const {
    if (!catalog.source.empty())
      throw usage_of("outdated", "--source: an embedded source has no upstream whose tags could be news");
    upkeep::OutdatedOptions options;
    options.components = components_from(components);
    options.pre_releases = pre_releases;
    if (!since.empty()) options.since = first_second_of(since);
    if (source.mirrors.empty()) options.network = network_options(source, context.environment);
    options.network.mirrors = source.mirrors;
    options.jobs = jobs;
    return options;
  }

  int run(Context& context) const {
    const upkeep::OutdatedOptions options = outdated_options(context);
    const OutdatedReport report =
        upkeep::find_news(load_catalog(catalog, context.environment), options, context.console);
    print_result(context, json, report, report::outdated_document(report));
    std::vector<std::string> problems;
    bool has_news = false;
    for (const ComponentNews& each : report.components) {
      has_news = has_news || each.has_news();
      if (!each.problem.empty()) problems.push_back(concat(component_name(each.component), ": ", each.problem));
    }
    if (problems.empty()) return has_news ? kFindings : kDone;
    const bool is_local = source.offline || !source.mirrors.empty();
    throw Error(ErrorKind::source, concat("looking for new tags: ", join(problems, "; ")),
                is_local
                    ? "name a folder that holds clones with --mirror ('torchpatch mirror --full' makes one), or leave "
                      "--offline and --mirror out"
                    : "name a server that has it with --url-map, or copies with --mirror");
  }
};

}  // namespace

Command outdated_command() { return {.name = "outdated", .declare = declare_line<OutdatedLine>}; }

}  // namespace torchpatch::cli
