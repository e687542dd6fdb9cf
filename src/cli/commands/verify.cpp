// SPDX-License-Identifier: BSD-3-Clause
#include "ops/verify/verify.h"

#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "report/show.h"

namespace torchpatch::cli {
namespace {

struct VerifyLine {
  std::string directory;
  CatalogOptions catalog;
  ops::VerifyOptions options;
  bool json = false;
};

int verify(const VerifyLine& line, Context& context) {
  const auto load = [&](const std::vector<std::string>& layers) {
    return load_catalog(with_embedded_layer(line.catalog, layers), context.environment);
  };
  const VerifyReport report = ops::verify(line.directory, load, line.options, context.console);
  print(context, report::verify_report(report, line.json ? report::Format::json : report::Format::text));
  return report.differences.empty() ? kDone : kFindings;
}

Action declare_verify(OptionSet& options) {
  const auto line = std::make_shared<VerifyLine>();
  options.argument("DIR", line->directory, "a directory that prepare wrote, or a copy of one", Need::required);
  options.value("--expect", line->options.expect, "ID", "tree id, swh:1:dir:ID or digest of the manifest it must have");
  options.value("--signature", line->options.signers, "FILE",
                "the manifest must be signed by one of these: an allowed_signers file of OpenSSH, or a public key of "
                "OpenSSH or minisign");
  options.flag("--strict-modes", line->options.strict_modes, "all permission bits count, not only the executable one");
  options.flag("--after-build", line->options.after_build, "tell what a build added apart from what it changed");
  declare_catalog_options(options, line->catalog);
  declare_jobs(options, line->options.jobs);
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return verify(*line, context); };
}

}  // namespace

Command verify_command() {
  return {.name = "verify",
          .summary = "check that a tree is the pinned commits plus the patches",
          .details =
              "Reads every file again and trusts nothing that lies in the tree: takes the patches back out in memory, "
              "rebuilds every repository's tree and must arrive at the pinned commits; pins and patches are compared "
              "with the catalog's. Each difference has a path and a reason: changed, missing, extra, mode, link, type, "
              "patch-not-in-catalog and others. Exit code 1 where there is any.",
          .examples = {"torchpatch verify out", "torchpatch verify out --signature allowed_signers",
                       "torchpatch verify out --after-build --json"},
          .declare = declare_verify};
}

}  // namespace torchpatch::cli
