// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "ops/keep/export_tree.h"
#include "ops/verify/verify.h"
#include "report/keep.h"

namespace torchpatch::cli {
namespace {

struct ExportLine {
  std::string directory;
  CatalogOptions catalog;
  ops::ExportOptions options;
  bool unverified = false;
  bool json = false;
};

int export_tree(const ExportLine& line, Context& context) {
  const report::Format format = line.json ? report::Format::json : report::Format::text;
  ops::check_export(line.directory, line.options);
  const ops::ScannedTree tree = ops::scan_prepared_tree(line.directory, line.options.jobs, context.console);
  if (!line.unverified) {
    const Catalog catalog =
        load_catalog(with_embedded_layer(line.catalog, ops::layers_of(tree.manifest)), context.environment);
    const VerifyReport report = ops::verify(tree, catalog, {});
    if (!report.differences.empty()) {
      print(context, report::verify_report(report, format));
      return kFindings;
    }
  }
  ExportReport report = ops::export_tree(tree, line.options, context.console);
  report.is_verified = !line.unverified;
  print(context, report::export_report(report, format));
  return kDone;
}

Action declare_export(OptionSet& options) {
  const auto line = std::make_shared<ExportLine>();
  options.argument("DIR", line->directory, "a directory that prepare wrote, or a copy of one", Need::required);
  options.value("-o,--output", line->options.output, "FILE", "archive to write: .tar, .tar.gz or .tar.zst",
                Need::required);
  options.value("--prefix", line->options.prefix, "NAME",
                "the directory that everything lies in; default: the archive's name without its ending");
  options.flag("--replace", line->options.replace, "write over an archive that is there");
  options.flag("--unverified", line->unverified, "export the tree as it is, whatever verify would say");
  declare_catalog_options(options, line->catalog);
  declare_jobs(options, line->options.jobs);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return export_tree(*line, context); };
}

}  // namespace

Command export_command() {
  return {
      .name = "export",
      .summary = "write a prepared tree as one canonical archive",
      .details =
          "Verifies the tree, and writes it as a tar that is the same on every machine at any time: sorted bytewise "
          "by path, owner 0 without names, modes 0644 and 0755, every time that of the newest pinned commit, ustar "
          "headers, and pax ones only for what these cannot hold. The SHA-256 of the tar is printed besides that of "
          "the file: another version of the compressor may give another file, but never another tar. What comes out "
          "unpacks to a tree that verify accepts. A tree that verify finds fault with is refused with what it finds, "
          "exit code 1, unless --unverified is given.",
      .examples = {"torchpatch export out --output pytorch-1.1.0-tx2.tar.zst",
                   "torchpatch export out --output pytorch.tar.gz --prefix pytorch-1.1.0 --json"},
      .declare = declare_export};
}

}  // namespace torchpatch::cli
