// SPDX-License-Identifier: BSD-3-Clause
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "cli/terminal.h"
#include "report/reports.h"
#include "trees/wheel/check_wheels.h"

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
  return {{.name = "wheel check", .declare = declare_line<WheelCheckLine>},
          {.name = "wheel fix-names", .declare = declare_line<WheelFixLine>}};
}

}  // namespace torchpatch::cli
