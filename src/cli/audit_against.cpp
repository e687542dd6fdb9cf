// SPDX-License-Identifier: BSD-3-Clause
#include "cli/audit_against.h"

#include "catalog/load_catalog.h"
#include "ops/compare_series.h"
#include "ops/scanned_tree.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

struct Series {
  std::string title;
  std::vector<ops::AuditStep> steps;
};

std::string pair_text(const std::string& release, const std::string& board, const std::string& image) {
  return concat("release ", release, " for ", board, " (", image, ")");
}

Series series_of_plan(const PlanLine& line, const Catalog& catalog) {
  const Plan plan = plan_from(line, catalog);
  return {pair_text(plan.release->version.text(), plan.board->id, plan.image->id), ops::plan_steps(plan)};
}

Series series_of_tree(const std::string& root, const Catalog& catalog) {
  const Manifest manifest = ops::read_manifest_of(root);
  return {concat(quote(root), ", ", pair_text(manifest.release, manifest.board, manifest.image)),
          ops::tree_steps(root, manifest, catalog)};
}

/// The subject of the audit, by a catalog that may be another than the line's own.
Series series_of_line(const AuditLine& line, const Catalog& catalog) {
  if (line.all) return {"the catalog", ops::catalog_steps(catalog)};
  if (!line.tree.empty()) return series_of_tree(line.tree, catalog);
  return series_of_plan(line.plan, catalog);
}

/// The release and board of the subject, as options would name them.
PlanLine pair_of(const AuditLine& line) {
  if (line.tree.empty()) return line.plan;
  const Manifest manifest = ops::read_manifest_of(line.tree);
  PlanLine plan;
  plan.version = manifest.release;
  plan.board = manifest.board;
  plan.image = manifest.image;
  return plan;
}

bool is_tree(const std::string& path) { return file_exists(path + "/torchpatch/manifest.json"); }
bool is_catalog(const std::string& path) {
  return is_directory(path + "/patchsets") && is_directory(path + "/releases");
}

Series series_by_catalog(const AuditLine& line, const std::string& directory) {
  const Catalog other = catalog::load_catalog({{base_name(absolute_path(directory)), directory}});
  Series series = line.all ? Series{"the catalog", ops::catalog_steps(other)} : series_of_plan(pair_of(line), other);
  series.title += " by the catalog in " + quote(directory);
  return series;
}

/// The default image is that of the release, so it is not taken over unless it was asked for.
Series series_of_release(const AuditLine& line, const Catalog& catalog) {
  if (line.all) {
    throw Error(ErrorKind::usage, concat("--against ", quote(line.against), ": with --all it names another catalog"),
                "give a directory with releases/ and patchsets/");
  }
  PlanLine plan = pair_of(line);
  plan.version = line.against;
  if (!line.tree.empty()) plan.image.clear();
  return series_of_plan(plan, catalog);
}

Series series_against(const AuditLine& line, const Catalog& catalog) {
  const std::string& other = line.against;
  if (is_tree(other)) return series_of_tree(other, catalog);
  if (is_catalog(other)) return series_by_catalog(line, other);
  const bool is_manifest = ends_with(other, "torchpatch/manifest.json") && file_exists(other);
  if (is_manifest) return series_of_tree(parent_path(parent_path(other)), catalog);
  if (file_exists(other)) {
    throw Error(ErrorKind::usage,
                concat("--against ", quote(other), " is neither a prepared tree, its manifest, nor a catalog"),
                "a prepared tree has torchpatch/manifest.json, a catalog releases/ and patchsets/");
  }
  return series_of_release(line, catalog);
}

}  // namespace

emit::SeriesReport make_series_report(const AuditLine& line, const Catalog& catalog) {
  const Series before = series_against(line, catalog), after = series_of_line(line, catalog);
  emit::SeriesReport report = ops::compare_series(before.steps, after.steps);
  report.before = before.title;
  report.after = after.title;
  return report;
}

}  // namespace torchpatch::cli
