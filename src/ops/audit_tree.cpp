// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <memory>

#include "model/submodule_layout.h"
#include "ops/audit.h"
#include "ops/audit_patch.h"
#include "ops/later_releases.h"
#include "ops/prepared_files.h"
#include "ops/scanned_tree.h"
#include "ops/show_in_files.h"
#include "patch/overlay_files.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

std::string blob_text(const std::optional<ObjectId>& id) { return id ? concat("blob ", id->hex()) : "no file"; }

/// One repository of the tree: its files on disk, and what changes where the patches are taken back.
struct Repository {
  std::unique_ptr<PreparedFiles> disk;
  patch::Changes taken_back;
  std::unique_ptr<patch::OverlayFiles> base;
};

class Tree {
 public:
  Tree(const std::string& root, const Manifest& manifest, const std::vector<AuditStep>& steps) : root_(root) {
    for (const AuditStep& step : steps) {
      Repository& repository = repositories_[step.repository];
      if (!repository.disk) repository.disk = std::make_unique<PreparedFiles>(root, step.repository, manifest);
    }
    check_touched(steps);
    check_added(manifest);
    for (auto& [path, repository] : repositories_) take_back(path, steps, repository);
  }

  BaseFiles base() {
    return [this](const RepositoryPath& path) -> patch::FileSource* { return repositories_.at(path).base.get(); };
  }

 private:
  /// Every file must be what the last patch there made; all that are not are named at once.
  void check_touched(const std::vector<AuditStep>& steps) {
    std::map<std::pair<RepositoryPath, std::string>, std::optional<ObjectId>> expected;
    for (const AuditStep& step : steps) {
      for (const patch::ExpectedEdge& edge : step.edges) expected[{step.repository, edge.path}] = edge.after;
    }
    std::vector<std::string> wrong;
    for (const auto& [place, blob] : expected) {
      const auto file = repositories_.at(place.first).disk->read(place.second);
      std::optional<ObjectId> found;
      if (file) found = file->mode == FileMode::gitlink ? ObjectId::parse(file->bytes) : git_blob_id(file->bytes);
      if (found == blob) continue;
      wrong.push_back(concat(quote(repository_directory(place.first) + "/" + place.second), " is ", blob_text(found),
                             ", the manifest says ", blob_text(blob)));
    }
    refuse(wrong);
  }

  void check_added(const Manifest& manifest) const {
    std::vector<std::string> wrong;
    for (const ManifestAddedFile& added : manifest.added_files) {
      const auto file = PreparedFiles(root_, added.repository, manifest).read(added.path);
      const std::optional<ObjectId> found = file ? std::optional(git_blob_id(file->bytes)) : std::nullopt;
      if (found == added.blob) continue;
      wrong.push_back(concat(quote(repository_directory(added.repository) + "/" + added.path), " is ", blob_text(found),
                             ", the manifest says ", blob_text(added.blob)));
    }
    refuse(wrong);
  }

  void refuse(const std::vector<std::string>& wrong) const {
    if (wrong.empty()) return;
    throw Error(
        ErrorKind::patch,
        concat("auditing ", quote(root_), ": the files are not those that the manifest names: ", join(wrong, "; ")),
        concat("'torchpatch verify ", shell_quote(root_), "' says all that differs"));
  }

  static void take_back(const RepositoryPath& path, const std::vector<AuditStep>& steps, Repository& repository) {
    std::vector<patch::PatchFile> reversed;
    std::vector<std::string> names;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (step->repository != path) continue;
      reversed.push_back(patch::reverse_patch(step->parsed));
      names.push_back(step->file);
    }
    std::vector<patch::SeriesStep> series;
    for (std::size_t i = 0; i < reversed.size(); ++i) series.push_back({&reversed[i], names[i], {}});
    repository.taken_back = patch::apply_series(series, *repository.disk).changes;
    repository.base = std::make_unique<patch::OverlayFiles>(*repository.disk, repository.taken_back);
  }

  std::string root_;
  std::map<RepositoryPath, Repository> repositories_;
};

std::vector<emit::AuditAddedFile> added_files(const std::string& root, const Manifest& manifest) {
  std::vector<emit::AuditAddedFile> added;
  for (const ManifestAddedFile& file : manifest.added_files) {
    const auto found = PreparedFiles(root, file.repository, manifest).read(file.path);
    added.push_back({file.patchset, file.variant, file.repository, file.path, file.mode == FileMode::executable,
                     found ? found->bytes.size() : 0, file.sha256, file.issues});
  }
  return added;
}

}  // namespace

emit::AuditReport audit_tree(const std::string& root, const Catalog& catalog, source::ObjectSource* source,
                             const AuditOptions& options, Console& console) {
  const Manifest manifest = read_manifest_of(root);
  const std::vector<AuditStep> steps = tree_steps(root, manifest, catalog);
  Tree tree(root, manifest, steps);
  emit::AuditReport report;
  report.scope = emit::AuditScope::tree;
  report.release = manifest.release;
  report.board = manifest.board;
  report.image = manifest.image;
  report.plan = manifest.plan;
  report.has_sources = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    report.patches.push_back(describe_patch(steps[i], manifest.release, catalog));
    report.patches[i].is_certified = manifest.patches[i].is_certified;
  }
  find_overlaps(report.patches);
  show_in_files(steps, tree.base(), static_cast<std::size_t>(options.context), report.patches);
  if (source) {
    look_in_later_releases(std::vector<std::string>(steps.size(), manifest.release), steps, catalog, *source,
                           options.jobs, console, report.patches);
  }
  report.added_files = added_files(root, manifest);
  return report;
}

}  // namespace torchpatch::ops
