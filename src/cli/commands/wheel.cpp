// SPDX-License-Identifier: BSD-3-Clause
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "trees/wheel/check_wheels.h"
#include "trees/wheel/fix_names.h"

namespace torchpatch::cli {

namespace {

struct WheelCheckLine {
  CatalogOptions catalog;
  std::vector<std::string> files;
  std::string board, image;
  int jobs = 1;
  bool json = false;

  void declare(OptionSet& options) {
    options.arguments("FILE", files, "wheels; torchvision's and torchaudio's are compared with torch's among them");
    options.value("--board", board, "BOARD", "board that they are for", Need::required);
    options.value("--image", image, "IMAGE",
                  "system software of the board; default: what the board names for the release of these wheels");
    declare_catalog_options(options, catalog);
    declare_jobs(options, jobs);
    options.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    if (files.empty()) throw usage_of("wheel check", "no wheel is named");
    const Catalog loaded = load_catalog(catalog, context.environment);
    const WheelReport report = trees::check_wheels(loaded, loaded.board(board), image, files, jobs);
    const Json as_json = report::wheel_report_json(report);
    print_result(context, json, as_json, report::wheel_document(report));
    for (const CheckedWheel& wheel : report.wheels)
      if (wheel.verdict > WheelVerdict::unknown) return kFindings;
    return kDone;
  }
};

struct WheelFixLine {
  CatalogOptions catalog;
  std::string file, board, image, output;
  bool json = false;

  void declare(OptionSet& options) {
    options.argument("FILE", file, "the wheel", Need::required);
    options.value("--board", board, "BOARD", "board that it is for", Need::required);
    options.value("--image", image, "IMAGE",
                  "system software of the board; default: what the board names for the release of this wheel");
    options.value("-o,--output", output, "DIR", "directory to write the wheel into", Need::required);
    declare_catalog_options(options, catalog);
    options.flag("--json", json, "print JSON");
  }

  int run(Context& context) const {
    const Catalog loaded = load_catalog(catalog, context.environment);
    const WheelFix fix = trees::fix_names(loaded, loaded.board(board), image, file, output);
    print_result(context, json, report::wheel_fix_json(fix), report::wheel_fix_document(fix));
    return kDone;
  }
};

}  // namespace

std::vector<Command> wheel_commands() {
  return {
      {.name = "wheel check",
       .summary = "say whether wheels will work on a board, and what is in the way",
       .details =
           "Opens each wheel and reads every ELF file in it: its machine, the libraries and the versions of symbols "
           "that it needs, where it looks for them, the instructions of its code, the GPUs that it has code for; its "
           "tags, names and RECORD. Each is compared with the board and its image. The verdict is 'works', "
           "'will not import', 'may crash' or 'unknown', with the known issue and what to do.\n\n"
           "Code for newer cores that is chosen at run time is a note. How code is reached is a judgement: by names, "
           "calls and tests of flags, not by running it. A wheel is read as Python's zipfile reads it; one that "
           "another "
           "program could read in another way is refused. Exit code 1 if a wheel will not import or may crash, as one "
           "may that differs from its RECORD.",
       .examples = {"torchpatch wheel check out/dist/*.whl --board rpi4 --image debian-11",
                    "torchpatch wheel check torch-1.8.1-cp36-cp36m-linux_aarch64.whl --board tx2 --json"},
       .declare = declare_line<WheelCheckLine>},
      {.name = "wheel fix-names",
       .summary = "give a wheel and the modules in it the names that fit a board",
       .details =
           "A cross build may name modules, and the wheel itself, for the machine that built them, and Python and pip "
           "then do not find or refuse them. Where a module is for the board's machine and for the wheel's own Python, "
           "it gets the name that this Python looks for there; where all of the wheel is for the board's machine, it "
           "gets that platform. WHEEL and RECORD are written anew; the same wheel gives the same bytes. What was "
           "compiled for another machine or another Python is refused: names do not change that.",
       .examples =
           {"torchpatch wheel fix-names torch-1.5.1-cp36-cp36m-linux_x86_64.whl --board ultra96 --output fixed"},
       .declare = declare_line<WheelFixLine>}};
}

}  // namespace torchpatch::cli
