// SPDX-License-Identifier: BSD-3-Clause
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "ops/release/add_release.h"
#include "report/reports.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

struct ReleaseAddLine {
  CatalogOptions catalog;
  SourceOptions source;
  ops::AddReleaseOptions release;
  std::string commit, tag, vision, audio;
  bool json = false, all = false;

  void declare(OptionSet& options) {
    options.argument("VERSION", release.version, "the release to add", Need::required);
    options.value("--commit", commit, "ID", "torch's commit", Need::required);
    options.value("--tag", tag, "TAG", "torch's tag; default: v and the version");
    options.value("--vision", vision, "VERSION=ID",
                  "torchvision's version and commit; without it the release has none");
    options.value("--audio", audio, "VERSION=ID", "torchaudio's version and commit; without it the release has none");
    options.value("--like", release.like, "VERSION", "the release to go by; default: the newest before it");
    options.value("--into", release.directory, "DIR", "catalog directory to write into; it is there", Need::required);
    options.flag("--all", all, "print long lists whole");
    declare_catalog_options(options, catalog);
    declare_source_options(options, source);
    declare_jobs(options, release.jobs);
    options.flag("--json", json, "print JSON");
  }

  ops::NewPin pin_of(const std::string& option, const std::string& text) const {
    if (auto pin = ops::NewPin::parse(text)) return *pin;
    throw Error(ErrorKind::usage,
                concat(option, " ", quote(text), " is not a version, '=' and a commit of 40 hex digits"),
                "such as 0.12.0=COMMIT; git ls-remote --tags tells the commits of upstream's tags");
  }

  ops::AddReleaseOptions options() const {
    ops::AddReleaseOptions options = release;
    const auto torch = ObjectId::parse(commit);
    if (!torch) {
      throw Error(ErrorKind::usage, concat("--commit ", quote(commit), " is not a commit of 40 hex digits"),
                  "git ls-remote --tags tells the commits of upstream's tags");
    }
    options.pins[Component::torch] = {release.version, *torch};
    if (!tag.empty()) options.tags[Component::torch] = tag;
    if (!vision.empty()) options.pins[Component::vision] = pin_of("--vision", vision);
    if (!audio.empty()) options.pins[Component::audio] = pin_of("--audio", audio);
    return options;
  }

  int run(Context& context) const {
    check_source_options(source, catalog.source);
    const ops::AddReleaseOptions chosen = options();
    require_directory(release.directory, "--into " + quote(release.directory), "make it first");
    const Catalog loaded = load_catalog(catalog, context.environment);
    const OpenSource opened = open_source(source, catalog.source, context);
    const ReleaseDraft draft = ops::add_release(loaded, chosen, *opened.objects, context.console);
    print_result(context, json, report::release_draft_json(draft), report::release_draft_document(draft, all));
    return kDone;
  }
};

}  // namespace

Command release_add_command() {
  return {
      .name = "release add",
      .summary = "write the file of a new release by an older one and the sources",
      .details =
          "Writes releases/VERSION.json: the pins, the date, CMake's minimum, and the place of each variable and "
          "module that the older release has, moved by what differs between the two pinned files. What was not "
          "derived is carried over and marked as not verified. Prints what a person has to look at: which board "
          "loses a patch or becomes undecided, places that are gone with what may have taken their place, variables "
          "that are named for the first time, submodules and licence files that are new, gone or changed, and what "
          "the sources at hand lack.",
      .examples = {"torchpatch release add 1.10.2 --commit 71f889c7d265b9636b93ede9d651c0a9c4bee191 --vision "
                   "0.11.3=05eae32f9663bbecad10a8d367ccbec50130e2f5 --like 1.9.1 --into mine --mirror ~/mirrors"},
      .declare = declare_line<ReleaseAddLine>};
}

}  // namespace torchpatch::cli
