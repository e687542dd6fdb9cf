// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/marked_places.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "ops/author/new_entry.h"
#include "ops/doctor/read_host.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

/// What board new and issue new have in common.
struct NewEntryLine {
  CatalogOptions catalog;
  std::string id, into;

  void declare(OptionSet& options, const std::string& kind) {
    options.argument("ID", id, concat("the ", kind, "'s id, which is also the name of its file"), Need::required);
    options.value("--into", into, "DIR", "catalog directory to write into; it is there", Need::required);
    declare_catalog_options(options, catalog);
  }

  ops::NewEntry entry(const Context& context) const {
    require_directory(into, concat("--into ", quote(into)), "'mkdir' makes a directory for a catalog of your own");
    return {id, into, catalog_layers(catalog, context.environment)};
  }

  static int conclude(const std::string& path, Context& context) {
    print(context, path + "\n");
    context.console.status(concat("next: write what belongs into the places marked ", catalog::kMarker,
                                  "; 'torchpatch check' with this catalog names those that are left"));
    return kDone;
  }
};

struct NewBoardLine {
  NewEntryLine entry;
  std::string like, root = "/";
  bool from_host = false;

  void declare(OptionSet& options) {
    entry.declare(options, "board");
    options.value("--like", like, "BOARD", "take over this board's figures, as unverified");
    options.flag("--from-host", from_host, "fill in what doctor reads of this machine");
    options.value("--root", root, "DIR",
                  "read etc, proc and usr below this directory; programs are those of PATH; default: /");
  }

  int run(Context& context) const {
    if (root != "/" && !from_host) throw usage_of("board new", "--root goes with --from-host");
    require_directory(root, "--root " + quote(root), "name a system that is mounted or unpacked there");
    HostFacts host;
    if (from_host) host = ops::read_host({root, ".", context.environment.variables, {}});
    const std::string path =
        ops::write_new_board({entry.entry(context), like, from_host ? &host : nullptr, context.environment.today()});
    return NewEntryLine::conclude(path, context);
  }
};

struct NewIssueLine {
  NewEntryLine entry;

  void declare(OptionSet& options) { entry.declare(options, "issue"); }
  int run(Context& context) const {
    return NewEntryLine::conclude(ops::write_new_issue(entry.entry(context)), context);
  }
};

}  // namespace

std::vector<Command> author_commands() {
  return {{.name = "board new",
           .summary = "write the file of a new board, with marks where a person has to write",
           .details =
               "Writes boards/ID.json below DIR with everything that a board may have. What is not known is marked "
               "FILL-IN, with what tells it on the board; check names each such place with file and line. --like "
               "takes over the figures of a board, whose sources then say so and that nobody verified them; "
               "--from-host fills in what doctor reads: architecture, memory, system, glibc, gcc, cmake, Python, CUDA "
               "and cuDNN. With both, what was read comes in place of the other board's.",
           .examples = {"torchpatch board new my-board --from-host --into ~/our-boards",
                        "torchpatch board new my-carrier --like tx2 --into ~/our-boards"},
           .declare = declare_line<NewBoardLine>},
          {.name = "issue new",
           .summary = "write the page of a new known issue, with marks where a person has to write",
           .details = "Writes known_issues/ID.md below DIR: metadata and the four sections. What is to be written is "
                      "marked FILL-IN; check names each such place with file and line.",
           .examples = {"torchpatch issue new my-issue --into ~/our-issues"},
           .declare = declare_line<NewIssueLine>}};
}

}  // namespace torchpatch::cli
