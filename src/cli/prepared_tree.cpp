// SPDX-License-Identifier: BSD-3-Clause
#include "cli/prepared_tree.h"

#include "cli/terminal.h"
#include "record/manifest_file.h"
#include "report/reports.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::cli {

void require_tree_or_pair(const std::string& command, const std::string& tree, const PlanLine& plan,
                          const std::string& else_name) {
  if (!tree.empty() && chooses_plan(plan))
    throw usage_of(command, "a prepared tree has its own release and board; leave out what chooses a plan");
  if (const std::string missing = missing_of_pair(plan); tree.empty() && !missing.empty())
    throw usage_of(command, concat("missing: ", missing, " (or ", else_name, ")"));
}

Manifest read_tree_manifest(const std::string& directory) {
  require_directory(directory, "reading the prepared tree " + quote(directory),
                    "name the directory that 'torchpatch prepare --output' wrote");
  const std::string path = directory + "/torchpatch/manifest.json";
  if (!file_exists(path)) {
    throw Error(ErrorKind::environment,
                concat(quote(directory), " is not a prepared tree: it has no torchpatch/manifest.json"),
                "name the directory that 'torchpatch prepare --output' wrote");
  }
  return record::parse_manifest(read_file(path), path);
}

std::optional<PreparedTree> open_prepared_tree(const std::string& directory, const CatalogOptions& options, int jobs,
                                               bool json, Context& context) {
  PreparedTree tree{trees::scan_prepared_tree(directory, jobs, context.console), {}, {}};
  tree.catalog =
      load_catalog(with_embedded_layer(options, trees::layers_of(tree.scanned.manifest)), context.environment);
  tree.report = trees::verify(tree.scanned, tree.catalog, {}, context.console);
  if (tree.report.differences.empty()) return tree;
  print_result(context, json, tree.report, report::verify_document(tree.report));
  return std::nullopt;
}

}  // namespace torchpatch::cli
