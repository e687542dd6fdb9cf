// SPDX-License-Identifier: BSD-3-Clause
#include "cli/prepared_tree.h"

#include "cli/terminal.h"
#include "report/reports.h"

namespace torchpatch::cli {

std::optional<PreparedTree> open_prepared_tree(const std::string& directory, const CatalogOptions& options, int jobs,
                                               bool json, Context& context) {
  PreparedTree tree{ops::scan_prepared_tree(directory, jobs, context.console), {}, {}};
  tree.catalog = load_catalog(with_embedded_layer(options, ops::layers_of(tree.scanned.manifest)), context.environment);
  tree.report = ops::verify(tree.scanned, tree.catalog, {}, context.console);
  if (tree.report.differences.empty()) return tree;
  print_result(context, json, report::verify_json(tree.report), report::verify_document(tree.report));
  return std::nullopt;
}

}  // namespace torchpatch::cli
