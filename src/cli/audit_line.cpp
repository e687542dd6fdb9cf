// SPDX-License-Identifier: BSD-3-Clause
#include "cli/audit_line.h"

#include "ops/verify.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

Error usage(const std::string& message) { return {ErrorKind::usage, message, "see 'torchpatch audit --help'"}; }

/// A tree and the whole catalog have their own plans; --catalog is for all three.
bool chooses_pair(PlanLine plan) {
  plan.catalog.catalogs.clear();
  return chooses_plan(plan);
}

}  // namespace

void check_audit_line(const AuditLine& line) {
  check_source_options(line.source, line.plan.catalog.source);
  check_report_options(line.form);
  if (line.all && !line.tree.empty()) throw usage("--all and a prepared tree exclude each other");
  if (line.all || !line.tree.empty()) {
    if (chooses_pair(line.plan)) {
      throw usage(line.all ? "--all is about every release and board; leave out what chooses a plan"
                           : "a prepared tree has its own release and board; leave out what chooses a plan");
    }
  } else if (const std::string missing = missing_of_pair(line.plan); !missing.empty()) {
    throw usage(concat("missing: ", missing, " (or --all, or a prepared tree)"));
  }
  if (!line.against.empty() && line.form.format == "sarif") {
    throw usage("--against has no SARIF: it compares patches and finds nothing wrong with them");
  }
}

Catalog audit_catalog(const AuditLine& line, const Environment& environment) {
  if (line.tree.empty()) return load_catalog(line.plan.catalog, environment);
  return load_catalog(with_embedded_layer(line.plan.catalog, ops::manifest_layers(line.tree)), environment);
}

emit::AuditReport make_audit_report(const AuditLine& line, const Catalog& catalog, Context& context) {
  // An embedded source stands in for upstream: other releases of it say nothing.
  const std::vector<std::string> releases =
      line.plan.version.empty() ? std::vector<std::string>{} : std::vector<std::string>{line.plan.version};
  const OpenSource source =
      open_named_source(line.source, line.plan.catalog.source, context.environment, context.console, releases);
  source::ObjectSource* const objects = source.objects.get();
  if (line.all) return ops::audit_all(catalog, objects, line.options, context.console);
  if (!line.tree.empty()) return ops::audit_tree(line.tree, catalog, objects, line.options, context.console);
  return ops::audit(plan_from(line.plan, catalog), catalog, objects, line.options, context.console);
}

}  // namespace torchpatch::cli
