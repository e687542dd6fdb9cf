// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/audit/audit.h"

#include <map>

#include "model/repository_path.h"
#include "support/error.h"
#include "support/find.h"
#include "trees/prepare/manifest.h"
#include "trees/prepare/patched_tree.h"
#include "trees/recipe/recipe.h"
#include "trees/verify/verify.h"
#include "upkeep/audit/audit_patch.h"
#include "upkeep/audit/show_in_files.h"
#include "upkeep/audit/what_runs.h"

namespace torchpatch::upkeep {

namespace {

TouchedFiles files_of_series(const Plan& plan, const std::vector<AuditStep>& steps, const Catalog& catalog,
                             source::ObjectSource& source, Console& console) {
  const TouchedRequest request{plan.release, trees::overrides_of(plan), &steps};
  TouchedFiles files = std::move(read_touched_files({request}, catalog.moved_repositories, source, 1, console).front());
  if (files.missing.empty()) return files;
  source::raise_missing("reading what the patches touch", collect(files.missing, source::missing_text), source,
                        source.hint());
}

trees::ScannedFiles files_of(const trees::ScannedTree& tree, const RepositoryPath& repository) {
  return trees::files_in(tree.scanned, repository_directory(repository));
}

/// One repository of the tree: its files on disk, and what changes where the patches are taken back.
struct PreparedRepository {
  explicit PreparedRepository(trees::DiskFiles files) : disk(std::move(files)) {}
  PreparedRepository(const PreparedRepository&) = delete;  // `base` points into it

  trees::DiskFiles disk;
  patch::Changes taken_back;
  patch::OverlayFiles base{disk, taken_back};
};

class PreparedTree {
 public:
  PreparedTree(const trees::ScannedTree& tree, const std::vector<AuditStep>& steps) {
    for (const AuditStep& step : steps)
      repositories_.try_emplace(step.repository, trees::DiskFiles(tree.root, files_of(tree, step.repository)));
    for (auto& [path, repository] : repositories_) take_back(path, steps, repository);
  }

  BaseFiles base() {
    return [this](const RepositoryPath& path) -> patch::FileSource* { return &repositories_.at(path).base; };
  }

 private:
  static void take_back(const RepositoryPath& path, const std::vector<AuditStep>& steps,
                        PreparedRepository& repository) {
    std::vector<patch::PatchStep> series;
    for (const AuditStep& step : steps) series.push_back({step.file, step.repository, step.parsed, {}});
    repository.taken_back = patch::take_series_out(series, path, repository.disk);
  }

  std::map<RepositoryPath, PreparedRepository> repositories_;
};

}  // namespace

AuditReport audit(const Plan& plan, const Catalog& catalog, source::ObjectSource* source, const AuditOptions& options,
                  Console& console) {
  AuditReport report;
  report.release = plan.release->version.text();
  report.board = plan.board->id;
  report.image = plan.image->id;
  report.plan = plan.digest;
  report.has_sources = source != nullptr;
  const std::vector<AuditStep> steps = plan_steps(plan);
  report.patches = describe_patches(steps, report.release, catalog);
  if (source) {
    TouchedFiles files = files_of_series(plan, steps, catalog, *source, console);
    show_in_files(steps, base_files(files), static_cast<std::size_t>(options.context), report.patches);
    look_in_later_releases(std::vector<std::string>(steps.size(), report.release), steps, catalog, *source,
                           options.jobs, console, report.patches);
  }
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    report.added_files.push_back({planned.patchset, planned.variant, file.repository, file.path, file.is_executable,
                                  file.bytes.size(), file.sha256, planned.issues});
  }
  report.runs = what_runs(catalog, plan, trees::make_manifest(plan, catalog, {}));
  return report;
}

AuditReport audit_tree(const std::string& root, const Catalog& catalog, source::ObjectSource* source,
                       const AuditOptions& options, Console& console) {
  const trees::ScannedTree scanned = trees::scan_prepared_tree(root, options.jobs, console);
  const Manifest& manifest = scanned.manifest;
  const std::vector<AuditStep> steps = tree_steps(root, manifest, catalog);
  VerifyReport verified = trees::verify(scanned, catalog, {}, console);
  const bool is_verified = verified.differences.empty();
  AuditReport report;
  report.tree = {manifest.tree, scanned.digest, std::move(verified.differences), std::move(verified.options)};
  report.scope = AuditScope::tree;
  report.release = manifest.release;
  report.board = manifest.board;
  report.image = manifest.image;
  report.plan = manifest.plan;
  report.patches = describe_patches(steps, manifest.release, catalog);
  for (std::size_t i = 0; i < steps.size(); ++i) report.patches[i].is_certified = manifest.patches[i].is_certified;
  try {
    PreparedTree tree(scanned, steps);
    show_in_files(steps, tree.base(), static_cast<std::size_t>(options.context), report.patches);
    report.has_sources = true;
  } catch (const Error&) {
    if (is_verified) throw;  // else the differences say why the patches cannot be taken back out
  }
  if (source) {
    look_in_later_releases(std::vector<std::string>(steps.size(), manifest.release), steps, catalog, *source,
                           options.jobs, console, report.patches);
  }
  for (const ManifestAddedFile& file : manifest.added_files) {
    const trees::ScannedFiles files = files_of(scanned, file.repository);
    const auto found = files.find(file.path);
    report.added_files.push_back({file.patchset, file.variant, file.repository, file.path,
                                  file.mode == FileMode::executable, found != files.end() ? found->second->size : 0,
                                  file.sha256, file.issues});
  }
  if (is_verified) report.runs = what_runs(catalog, trees::plan_again(manifest, catalog), manifest);
  if (!options.recipe.empty()) add_recipe(trees::recipe_for(scanned), options.recipe, report.runs);
  return report;
}

}  // namespace torchpatch::upkeep
