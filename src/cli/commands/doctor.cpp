// SPDX-License-Identifier: BSD-3-Clause
#include "ops/doctor/doctor.h"
#include "ops/verify/verify.h"

#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "ops/doctor/read_host.h"
#include "record/manifest_file.h"
#include "report/doctor.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

struct DoctorLine {
  std::string directory, manifest, version, board, image, root = "/";
  std::vector<std::string> settings;
  CatalogOptions catalog;
  bool json = false;
};

void check_line(const DoctorLine& line) {
  const bool has_tree = !line.directory.empty() || !line.manifest.empty();
  const std::string hint = "see 'torchpatch doctor --help'";
  if (!line.directory.empty() && !line.manifest.empty()) {
    throw Error(ErrorKind::usage, "a directory and --manifest exclude each other", hint);
  }
  if (has_tree == !line.version.empty()) {
    throw Error(ErrorKind::usage,
                has_tree ? "--version and a manifest exclude each other" : "missing: DIR, --manifest or --version",
                hint);
  }
  if (has_tree && !(line.board.empty() && line.image.empty() && line.settings.empty())) {
    throw Error(ErrorKind::usage, "--board, --image and --set go with --version; a manifest says them itself", hint);
  }
  if (line.board.empty() && !line.image.empty()) throw Error(ErrorKind::usage, "--image needs --board", hint);
}

Manifest read_manifest(const DoctorLine& line) {
  const std::string path = line.manifest.empty() ? line.directory + "/torchpatch/manifest.json" : line.manifest;
  if (line.manifest.empty() && !file_exists(path)) {
    throw Error(ErrorKind::environment,
                concat(quote(line.directory), " is not a prepared tree: it has no torchpatch/manifest.json"),
                "name the directory that 'torchpatch prepare --output' wrote");
  }
  return record::parse_manifest(read_file(path), path);
}

int examine(const Catalog& catalog, const ops::DoctorTarget& target, const DoctorLine& line, Context& context) {
  const ops::HostPlaces places{line.root, line.directory.empty() ? "." : line.directory, context.environment.variables,
                               ops::packages_to_read(catalog, target)};
  const DoctorReport report = ops::doctor(catalog, target, ops::read_host(places));
  print(context, report::doctor_report(report, line.json ? report::Format::json : report::Format::text));
  return count_failures(report) == 0 ? kDone : kFindings;
}

int doctor(const DoctorLine& line, Context& context) {
  check_line(line);
  if (!line.version.empty()) {
    ops::DoctorTarget target{line.version, line.board, line.image, {}, {}, {}, false};
    for (const std::string& setting : line.settings) add_setting(setting, target.options);
    return examine(load_catalog(line.catalog, context.environment), target, line, context);
  }
  const Manifest manifest = read_manifest(line);
  const Catalog catalog =
      load_catalog(with_embedded_layer(line.catalog, ops::layers_of(manifest)), context.environment);
  return examine(catalog, ops::target_of(manifest), line, context);
}

Action declare_doctor(OptionSet& options) {
  const auto line = std::make_shared<DoctorLine>();
  options.argument("DIR", line->directory, "a directory that prepare wrote: can it be built here?", Need::optional);
  options.value("--manifest", line->manifest, "FILE", "a manifest.json without its tree");
  options.value("--version", line->version, "VERSION", "PyTorch version to build, such as 1.1.0");
  options.value("--board", line->board, "BOARD", "board to build for; default: this host");
  options.value("--image", line->image, "IMAGE", "system software of the board; default: what the board names");
  options.values("--set", line->settings, "KEY=VALUE", "set a fact, such as cross=true or compute_capability=6.2");
  options.value("--root", line->root, "DIR",
                "read etc, proc and usr below this directory; programs are those of PATH; default: /");
  declare_catalog_options(options, line->catalog);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return doctor(*line, context); };
}

}  // namespace

Command doctor_command() {
  return {.name = "doctor",
          .summary = "say what will fail on this host, and which known issue it is",
          .details =
              "Reads this machine's system, tools, CUDA, memory and disk, compares them with the bounds of a release, "
              "of a board's image or of a prepared tree, and evaluates the conditions of the known issues with what "
              "it found. Says what to do about each difference, and suggests MAX_JOBS by a rule of thumb. Changes "
              "nothing and needs no network; asks the programs of PATH for their versions, and the Python that "
              "PYTHON names, else python3. Exit code 1 where something will fail.",
          .examples = {"torchpatch doctor --version 1.10.2", "torchpatch doctor --version 1.1.0 --board tx2 --json",
                       "torchpatch doctor out"},
          .declare = declare_doctor};
}

}  // namespace torchpatch::cli
