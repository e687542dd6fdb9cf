// SPDX-License-Identifier: BSD-3-Clause
#include "ops/audit/audit.h"

#include <map>

#include "model/repository_path.h"
#include "ops/audit/audit_patch.h"
#include "ops/audit/show_in_files.h"
#include "ops/prepare/patched_tree.h"
#include "ops/verify/rebuild_base.h"
#include "ops/verify/verify.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

TouchedFiles files_of_series(const Plan& plan, const std::vector<AuditStep>& steps, const Catalog& catalog,
                             source::ObjectSource& source, Console& console) {
  const TouchedRequest request{plan.release, overrides_of(plan), &steps};
  TouchedFiles files = std::move(read_touched_files({request}, catalog.moved_repositories, source, 1, console).front());
  if (files.missing.empty()) return files;
  source::raise_missing("reading what the patches touch", collect(files.missing, source::missing_text), source,
                        source.hint());
}

/// One repository of the tree: its files on disk, and what changes where the patches are taken back.
struct PreparedRepository {
  explicit PreparedRepository(PreparedFiles files) : disk(std::move(files)) {}
  PreparedRepository(const PreparedRepository&) = delete;  // `base` points into it

  PreparedFiles disk;
  patch::Changes taken_back;
  patch::OverlayFiles base{disk, taken_back};
};

class PreparedTree {
 public:
  PreparedTree(const std::string& root, const Manifest& manifest, const std::vector<AuditStep>& steps) : root_(root) {
    for (const AuditStep& step : steps) open(step.repository, manifest);
    for (const ManifestAddedFile& added : manifest.added_files) open(added.repository, manifest);
    check_touched(steps);
    check_added(manifest);
    for (auto& [path, repository] : repositories_) take_back(path, steps, repository);
  }

  patch::FileSource& disk(const RepositoryPath& path) { return repositories_.at(path).disk; }
  BaseFiles base() {
    return [this](const RepositoryPath& path) -> patch::FileSource* { return &repositories_.at(path).base; };
  }

 private:
  void open(const RepositoryPath& path, const Manifest& manifest) {
    repositories_.try_emplace(path, PreparedFiles(root_, path, manifest));
  }

  /// Every file must be what the last patch there made; all that are not are named at once.
  void check_touched(const std::vector<AuditStep>& steps) {
    std::map<std::pair<RepositoryPath, std::string>, std::optional<ObjectId>> expected;
    for (const AuditStep& step : steps)
      for (const patch::Edge& edge : step.edges) expected[{step.repository, edge.path}] = edge.after;
    std::vector<std::string> wrong;
    for (const auto& [place, blob] : expected) compare(place.first, place.second, blob, wrong);
    refuse(wrong);
  }

  void check_added(const Manifest& manifest) {
    std::vector<std::string> wrong;
    for (const ManifestAddedFile& added : manifest.added_files)
      compare(added.repository, added.path, added.blob, wrong);
    refuse(wrong);
  }

  void compare(const RepositoryPath& repository, const std::string& path, const std::optional<ObjectId>& expected,
               std::vector<std::string>& wrong) {
    const std::optional<ObjectId> found = patch::file_id(disk(repository).read(path));
    if (found == expected) return;
    wrong.push_back(concat(quote(repository_directory(repository) + "/" + path), " is ", patch::id_text(found),
                           ", the manifest says ", patch::id_text(expected)));
  }

  void refuse(const std::vector<std::string>& wrong) const {
    if (wrong.empty()) return;
    throw Error(
        ErrorKind::patch,
        concat("auditing ", quote(root_), ": the files are not those that the manifest names: ", join(wrong, "; ")),
        concat("'torchpatch verify ", shell_quote(root_), "' says all that differs"));
  }

  static void take_back(const RepositoryPath& path, const std::vector<AuditStep>& steps,
                        PreparedRepository& repository) {
    std::vector<patch::SeriesStep> series;
    for (const AuditStep& step : steps)
      if (step.repository == path) series.push_back({&step.parsed, step.file, {}});
    repository.taken_back = patch::take_series_out(series, repository.disk);
  }

  std::string root_;
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
  return report;
}

AuditReport audit_tree(const std::string& root, const Catalog& catalog, source::ObjectSource* source,
                       const AuditOptions& options, Console& console) {
  const Manifest manifest = read_manifest_of(root);
  const std::vector<AuditStep> steps = tree_steps(root, manifest, catalog);
  PreparedTree tree(root, manifest, steps);
  AuditReport report;
  report.scope = AuditScope::tree;
  report.release = manifest.release;
  report.board = manifest.board;
  report.image = manifest.image;
  report.plan = manifest.plan;
  report.has_sources = true;
  report.patches = describe_patches(steps, manifest.release, catalog);
  for (std::size_t i = 0; i < steps.size(); ++i) report.patches[i].is_certified = manifest.patches[i].is_certified;
  show_in_files(steps, tree.base(), static_cast<std::size_t>(options.context), report.patches);
  if (source) {
    look_in_later_releases(std::vector<std::string>(steps.size(), manifest.release), steps, catalog, *source,
                           options.jobs, console, report.patches);
  }
  for (const ManifestAddedFile& file : manifest.added_files) {
    const auto found = tree.disk(file.repository).read(file.path);
    report.added_files.push_back({file.patchset, file.variant, file.repository, file.path,
                                  file.mode == FileMode::executable, found ? found->bytes.size() : 0, file.sha256,
                                  file.issues});
  }
  return report;
}

}  // namespace torchpatch::ops
