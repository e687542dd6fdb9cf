// SPDX-License-Identifier: BSD-3-Clause
#include "ops/diff/diff.h"

#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "plan/make_plan.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "report/diff.h"

namespace torchpatch::cli {
namespace {

struct DiffLine {
  std::string a, b;
  CatalogOptions catalog;
  ops::DiffOptions options;
  int jobs = 1;
  std::string format;
  bool json = false;
};

/// RELEASE:BOARD[:IMAGE].
struct Target {
  std::string release, board, image;
};

std::optional<Target> parse_target(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3 || text.find('/') != std::string::npos) return std::nullopt;
  for (const std::string& part : parts) {
    if (part.empty()) return std::nullopt;
  }
  return Target{parts[0], parts[1], parts.size() == 3 ? parts[2] : ""};
}

/// The two sides, and the catalog that pairs of release and board point into: loaded when the first one is met.
class Sides {
 public:
  Sides(const DiffLine& line, Context& context) : line_(line), context_(context) {}

  ops::DiffInput read(const std::string& name) {
    const std::optional<Target> target = parse_target(name);
    const bool is_there = file_exists(name);
    if (target && is_there && Version::parse(target->release)) {
      throw Error(ErrorKind::usage, concat(quote(name), " is a path as well as a release and a board"),
                  concat("write ", quote("./" + name), " for the path, or run this elsewhere for the pair"));
    }
    if (is_directory(name)) return ops::diff_input_of_tree(name, line_.jobs, context_.console);
    if (is_there) return ops::diff_input_of_manifest(name);
    if (!target) {
      throw Error(ErrorKind::usage,
                  concat(quote(name), " is neither a prepared tree, nor a manifest, nor RELEASE:BOARD"),
                  "name a directory that prepare wrote, its torchpatch/manifest.json, or a pair such as 1.1.0:tx2");
    }
    return ops::diff_input_of_plan(name, plan::make_plan(catalog(), target->release, target->board, target->image, {}),
                                   catalog());
  }

 private:
  const Catalog& catalog() {
    if (!catalog_) catalog_ = load_catalog(line_.catalog, context_.environment);
    return *catalog_;
  }

  const DiffLine& line_;
  Context& context_;
  std::optional<Catalog> catalog_;
};

std::string report_text(const DiffReport& report, const DiffLine& line) {
  if (line.format == "markdown") return report::diff_markdown(report);
  return report::diff_report(report, line.json ? report::Format::json : report::Format::text);
}

int diff(const DiffLine& line, Context& context) {
  if (line.json && !line.format.empty()) {
    throw Error(ErrorKind::usage, "--json and --format exclude each other", "leave one of them out");
  }
  Sides sides(line, context);
  const ops::DiffInput a = sides.read(line.a);
  const ops::DiffInput b = sides.read(line.b);
  const DiffReport report = ops::diff(a, b, line.options);
  print(context, report_text(report, line));
  return report.entries.empty() ? kDone : kFindings;
}

Action declare_diff(OptionSet& options) {
  const auto line = std::make_shared<DiffLine>();
  options.argument("A", line->a, "a prepared tree, a manifest.json, or RELEASE:BOARD[:IMAGE]", Need::required);
  options.argument("B", line->b, "what to compare it with", Need::required);
  options.flag("--files", line->options.list_files,
               "name each file that differs because its repository is at another commit");
  declare_catalog_options(options, line->catalog);
  declare_jobs(options, line->jobs);
  options.choice("--format", line->format, {"text", "markdown"}, "form of the report; default: text");
  options.flag("--json", line->json, "print JSON");
  return [line](Context& context) { return diff(*line, context); };
}

}  // namespace

Command diff_command() {
  return {
      .name = "diff",
      .summary = "say how two trees, manifests or plans differ, and which issue explains it",
      .details =
          "A and B are each a prepared tree, a manifest, or a release and a board such as 1.1.0:tx2, planned with "
          "the catalog's defaults and without sources. Compared is what both sides know: what was asked for, pinned "
          "commits, overrides, patches and what they make of files, added files, variables of the build, bounds of "
          "build tools, decisions about issues, and of two trees every file as it lies on disk. What no issue, pin "
          "or option explains stands first: a hand edit, a build product, a patch that no decision accounts for. A "
          "tree is held against its own manifest as well. Exit code 1 where there is any difference.",
      .examples = {"torchpatch diff 1.1.0:tx2 1.1.0:ultra96", "torchpatch diff old/torchpatch/manifest.json new",
                   "torchpatch diff out-1 out-2 --files --format markdown >diff.md"},
      .declare = declare_diff};
}

}  // namespace torchpatch::cli
