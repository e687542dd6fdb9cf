// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "report/shown.h"
#include "support/text.h"
#include "upkeep/release/add_release.h"

namespace torchpatch::cli {

namespace {

struct ReleaseAddLine {
  CatalogOptions catalog;
  SourceOptions source;
  upkeep::AddReleaseOptions release;
  std::string commit, tag, vision, audio;
  bool json = false, all = false;

  void declare(OptionSet& options) {
    options.argument("VERSION", release.version, "the release to add", Need::required);
    options.value("--commit", commit, "ID", "torch's commit; default: that of the tag");
    options.value("--tag", tag, "TAG", "torch's tag; default: v and the version");
    options.value(
        "--vision", vision, "VERSION[=ID]|none",
        "torchvision's version and commit, which by default is that of its tag; default: what its table says");
    options.value("--audio", audio, "VERSION[=ID]|none", "the same of torchaudio");
    options.value("--like", release.like, "VERSION", "the release to go by; default: the newest before it");
    options.value("--into", release.directory, "DIR", "catalog directory to write into; it is there", Need::required);
    options.flag("--all", all, "print long lists whole");
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
                "such as 0.12.0, 0.12.0=COMMIT; git ls-remote --tags tells the commits of upstream's tags");
  }

  std::optional<ObjectId> torch_commit() const {
    if (commit.empty()) return std::nullopt;
    if (const auto torch = ObjectId::parse(commit)) return torch;
    throw Error(ErrorKind::usage, concat("--commit ", quote(commit), " is not a commit of 40 hex digits"),
                "git ls-remote --tags tells the commits of upstream's tags");
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
    require_directory(release.directory, "--into " + quote(release.directory), "make it first");
    const Catalog loaded = load_catalog(catalog, context.environment);
    const OpenSource opened = open_source(source, catalog.source, context);
    const ReleaseDraft draft = upkeep::add_release(loaded, chosen, *opened.objects, context.console);
    print_result(context, json, draft, report::release_draft_document(draft, all));
    return kDone;
  }
};

}  // namespace

Command release_add_command() { return {.name = "release add", .declare = declare_line<ReleaseAddLine>}; }

}  // namespace torchpatch::cli
