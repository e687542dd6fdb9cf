// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "model/text_rules.h"
#include "report/reports.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "upkeep/port/port.h"
#include "upkeep/release/add_release.h"
#include "upkeep/release/upstream_tags.h"

namespace torchpatch::cli {

namespace {

struct ReleaseAddArgs {
  CatalogOptions catalog;
  SourceOptions source;
  upkeep::AddReleaseOptions release;
  std::string commit, tag, vision, audio;
  bool json = false, all = false;

  void declare(OptionSet& options) {
    options.argument("VERSION", release.version, "the release to add", Need::required);
    options.value("--commit", commit, "ID", "torch's commit; default: the commit of the tag");
    options.value("--tag", tag, "TAG", "torch's tag; default: v and the version");
    options.value(
        "--vision", vision, "VERSION[=ID]|none",
        "torchvision's version and commit; default: the version in torchvision's table, and the commit of its tag");
    options.value("--audio", audio, "VERSION[=ID]|none", "the same for torchaudio");
    options.value(
        "--pins", release.pins, "TABLE",
        "pin torch, and each companion that --archive names, by the content of its archive; each line of TABLE is "
        "a submodule of torch: \"PATH COMMIT URL\", or \"PATH -\" if its commit is unknown; "
        "TABLE may also be nixpkgs' src.nix");
    options.value("--like", release.like, "VERSION", "the release to copy from; default: the newest before it");
    options.value("--into", release.directory, "DIR", "existing catalog directory to write to", Need::required);
    options.flag("--all", all, "print long lists in full");
    declare_catalog_options(options, catalog);
    declare_source_options(options, source);
    declare_jobs(options, release.jobs);
    options.flag("--json", json, "print JSON");
  }

  upkeep::WantedPin pin_of(const std::string& option, const std::string& text) const {
    if (auto pin = upkeep::WantedPin::parse(text)) return *pin;
    throw Error(ErrorKind::usage,
                concat(option, " ", quote(text),
                       " is neither a version, perhaps with '=' and a commit of 40 hex digits, nor 'none'"),
                "such as 0.12.0, 0.12.0=COMMIT; git ls-remote --tags lists the commits of upstream's tags");
  }

  std::optional<ObjectId> torch_commit() const {
    if (commit.empty()) return std::nullopt;
    if (const auto torch = ObjectId::parse(commit)) return torch;
    throw Error(ErrorKind::usage, concat("--commit ", quote(commit), " is not a commit of 40 hex digits"),
                "git ls-remote --tags lists the commits of upstream's tags");
  }

  upkeep::AddReleaseOptions options(const Context& context) const {
    upkeep::AddReleaseOptions chosen = release;
    std::map<Component, upkeep::WantedPin>& pins = chosen.wanted;
    pins[Component::torch] = {release.version, tag, torch_commit()};
    if (!vision.empty()) pins[Component::vision] = pin_of("--vision", vision);
    if (!audio.empty()) pins[Component::audio] = pin_of("--audio", audio);
    if (source.mirrors.empty() && !source.offline && catalog.source.empty())
      chosen.network = network_options(source, context.environment);
    return chosen;
  }

  int run(Context& context) const {
    check_source_options(source, catalog.source);
    const upkeep::AddReleaseOptions chosen = options(context);
    require_directory(release.directory, "--into " + quote(release.directory), "create it first");
    const Catalog loaded = load_catalog(catalog, context.environment);
    const OpenSource opened = open_source(source, catalog.source, context);
    const ReleaseDraft draft = upkeep::add_release(loaded, chosen, *opened.objects, context.console);
    print_result(context, json, draft, report::release_draft_document(draft, all));
    return kDone;
  }
};

/// Returns the first second of a day such as 2019-04-30, in seconds since 1970. Raises usage.
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
                "tags since that day are shown");
  }
  return duration_cast<seconds>(sys_days(date).time_since_epoch()).count();
}

struct OutdatedArgs {
  std::vector<std::string> components;
  CatalogOptions catalog;
  SourceOptions source;
  bool pre_releases = false, json = false;
  std::string since;
  int jobs = 1;

  void declare(OptionSet& options) {
    options.arguments("COMPONENT", components, "torch, vision or audio; default: all");
    options.flag("--pre", pre_releases, "include pre-releases");
    options.value("--since", since, "DATE", "omit new tags whose commits are older than DATE, such as 2026-01-31");
    options.values("--mirror", source.mirrors, "DIR",
                   "use only the tags of the git repositories under DIR (any names); may be repeated");
    options.flag("--offline", source.offline, "never use the network; without --mirror, use the cache");
    declare_fetch_options(options, source);
    declare_catalog_options(options, catalog);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  upkeep::OutdatedOptions outdated_options(const Context& context) const {
    if (!catalog.source.empty()) throw usage_of("outdated", "--source: an embedded source has no upstream with tags");
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
      if (!each.problem.empty()) problems.push_back(concat(name_of(each.component), ": ", each.problem));
    }
    if (problems.empty()) return has_news ? kFindings : kDone;
    const bool is_local = source.offline || !source.mirrors.empty();
    throw Error(ErrorKind::source, concat("looking for new tags: ", join(problems, "; ")),
                is_local ? "pass a directory of clones with --mirror ('torchpatch mirror --full --version VERSION' "
                           "creates one), or omit --offline and --mirror"
                         : "pass a server that has it with --url-map, or copies with --mirror");
  }
};

bool is_all_done(const PortReport& report) {
  return report.left.empty() && report.skipped.empty() &&
         std::ranges::all_of(report.patchsets, [](const PortedPatchset& ported) {
           return ported.result != PortResult::conflict && ported.gates.empty();
         });
}

struct PortArgs {
  CatalogOptions catalog;
  SourceOptions source;
  upkeep::PortRequest request;
  upkeep::PortOptions options;
  bool skip = false, abort = false, json = false, all = false;

  void declare(OptionSet& set) {
    set.argument("VERSION", request.version, "the release to port patchsets to, already in the catalog",
                 Need::optional);
    set.arguments("PATCHSET", request.patchsets,
                  "patchsets to port; default: those that fix an issue of both this release and the previous one");
    set.value("--from", request.from, "VARIANT",
              "start from this variant; default: that of the nearest earlier release");
    set.flag("--keep-going", request.keeps_going, "continue after conflicts, and write what is done");
    set.flag("--upstream", options.takes_upstream, "accept, even without a proof, that upstream has the change");
    set.flag("--drop", options.drops_removed, "drop changes to files that upstream removed");
    set.value("--work", options.work, "DIR", "directory for conflicts; default: port");
    set.flag("--continue", options.continues, "continue with the conflicts resolved in --work");
    set.flag("--skip", skip, "skip the first unresolved patchset, and continue");
    set.flag("--abort", abort, "remove the directory; the changes that --keep-going wrote to the catalog are kept");
    set.flag("--all", all, "print long lists in full");
    declare_catalog_options(set, catalog);
    declare_source_options(set, source);
    declare_jobs(set, options.jobs);
    set.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    upkeep::PortOptions chosen = options;
    if (chosen.work.empty()) chosen.work = "port";
    chosen.today = context.environment.today();
    chosen.continues = options.continues || skip;
    check_way();
    if (abort) {
      if (upkeep::abort_port(chosen.work)) context.console.status("what --keep-going wrote to the catalog is kept");
      return kDone;
    }
    if (skip) context.console.status(concat("skipped: ", upkeep::skip_in_port(chosen.work)));
    return carry(chosen.continues ? upkeep::read_port_request(chosen.work) : new_request(), chosen, context);
  }

  /// Raises usage unless the options either start a port or continue one.
  void check_way() const {
    const bool goes_on = options.continues || skip || abort;
    const bool is_new = !request.version.empty() || !request.from.empty() || request.keeps_going;
    if (goes_on == is_new || int{options.continues} + int{skip} + int{abort} > 1)
      throw usage_of(
          "port", goes_on
                      ? "--continue, --skip and --abort can only be used with --work, --upstream, --drop and --catalog"
                      : "missing: VERSION, or --continue, --skip or --abort");
  }

  upkeep::PortRequest new_request() const {
    upkeep::PortRequest made = request;
    made.origin = origin_of(catalog, source);
    return made;
  }

  int carry(const upkeep::PortRequest& what, const upkeep::PortOptions& chosen, Context& context) const {
    SourceOptions from = source;
    if (from.mirrors.empty()) from.mirrors = what.origin.mirrors;
    check_source_options(from, what.origin.source);
    const CatalogOptions layered{what.origin.catalogs, what.origin.source};
    if (chosen.continues) require_named(chosen.work, what.origin, catalog.catalogs, context.environment);
    note_catalogs(chosen.work, what.origin.catalogs, context.environment);
    const std::vector<catalog::Layer> layers = catalog_layers(layered, context.environment);
    Catalog loaded = catalog::load_catalog(layers);
    take_archives(from, loaded);
    const OpenSource opened = open_source(from, what.origin.source, context);
    PortReport report = upkeep::port_patchsets(what, chosen, loaded, layers, *opened.objects, context.console);
    PlanArgs plan;
    plan.catalog = layered;
    for (const std::string& word : plan_words(plan)) report.catalog += " " + shell_quote(word);
    print_result(context, json, report, report::port_document(report, all));
    return is_all_done(report) ? kDone : kFindings;
  }
};

}  // namespace

std::vector<Command> releases_commands() {
  return {{"release add", declare_args<ReleaseAddArgs>},
          {"outdated", declare_args<OutdatedArgs>},
          {"port", declare_args<PortArgs>}};
}

}  // namespace torchpatch::cli
