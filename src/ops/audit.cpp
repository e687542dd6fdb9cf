// SPDX-License-Identifier: BSD-3-Clause
#include "ops/audit.h"

#include <map>

#include "ops/audit_patch.h"
#include "ops/patched_tree.h"
#include "ops/pinned_tree.h"
#include "patch/overlay_files.h"
#include "patch/parse_patch.h"
#include "patch/widen_context.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

std::vector<patch::PatchFile> parse_patches(const Plan& plan) {
  std::vector<patch::PatchFile> parsed;
  parsed.reserve(plan.patches.size());
  for (const PlannedPatch& planned : plan.patches) {
    parsed.push_back(patch::parse_patch(planned.patch->text, planned.patchset + "/" + planned.patch->file));
  }
  return parsed;
}

/// Says of each patch which others of the plan change its files.
void find_overlaps(std::vector<emit::AuditPatch>& patches) {
  std::map<std::pair<RepositoryPath, std::string>, std::vector<std::size_t>> changers;
  for (std::size_t i = 0; i < patches.size(); ++i) {
    for (const emit::AuditFile& file : patches[i].files) changers[{patches[i].repository, file.path}].push_back(i);
  }
  for (const auto& [place, indexes] : changers) {
    for (const std::size_t index : indexes) {
      for (const std::size_t other : indexes) {
        if (other != index)
          patches[index].overlaps.push_back(
              concat(patches[other].patchset, "/", patches[other].file, " in ", place.second));
      }
    }
  }
}

void show_as_written(const patch::PatchFile& parsed, emit::AuditPatch& entry) {
  for (std::size_t i = 0; i < parsed.files.size(); ++i) entry.files[i].hunks = audit_hunks(parsed.files[i].hunks);
}

/// The pinned files, with the patches applied one by one.
class Applier {
 public:
  Applier(const Plan& plan, const Catalog& catalog, source::ObjectSource& source, const AuditOptions& options,
          Console& console)
      : pinned_(source::read_closure(*plan.release, plan.components, overrides_of(plan), catalog.moved_repositories,
                                     source, options.jobs, console),
                source),
        context_(static_cast<std::size_t>(options.context)) {}

  void load(const Plan& plan, const std::vector<patch::PatchFile>& parsed, Console& console) {
    std::vector<std::pair<int, std::string>> touched;
    for (std::size_t i = 0; i < parsed.size(); ++i) {
      const int repository = pinned_.repository(plan.patches[i].patch->repository);
      for (const std::string& path : patch::touched_paths(parsed[i])) touched.emplace_back(repository, path);
    }
    pinned_.load(touched, console);
  }

  /// Fills in the hunks of a patch where they stand in the files so far, and applies it.
  void apply(const patch::PatchFile& parsed, const RepositoryPath& path, emit::AuditPatch& entry) {
    const int repository = pinned_.repository(path);
    patch::Changes& changes = changes_[repository];
    const auto base = pinned_.files(repository);
    patch::OverlayFiles files(*base, changes);
    for (std::size_t i = 0; i < parsed.files.size(); ++i) {
      const patch::FilePatch& file = parsed.files[i];
      const auto before = file.old_path.empty() ? std::nullopt : files.read(file.old_path);
      entry.files[i].hunks =
          audit_hunks(patch::widen_context(file.hunks, before ? before->bytes : "", context_, file.path()));
    }
    patch::Changes made = patch::apply_patch(parsed, files).changes;
    for (auto& [changed, file] : made) changes[changed] = std::move(file);
  }

 private:
  PinnedTree pinned_;
  std::size_t context_;
  std::map<int, patch::Changes> changes_;
};

}  // namespace

emit::AuditReport audit(const Plan& plan, const Catalog& catalog, source::ObjectSource* source,
                        const AuditOptions& options, Console& console) {
  emit::AuditReport report;
  report.release = plan.release->version.text();
  report.board = plan.board->id;
  report.image = plan.image->id;
  report.plan = plan.digest;
  report.has_sources = source != nullptr;
  const std::vector<patch::PatchFile> parsed = parse_patches(plan);
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    report.patches.push_back(describe_patch(plan.patches[i], parsed[i], plan, catalog));
  }
  find_overlaps(report.patches);
  if (source) {
    Applier applier(plan, catalog, *source, options, console);
    applier.load(plan, parsed, console);
    for (std::size_t i = 0; i < parsed.size(); ++i) {
      applier.apply(parsed[i], plan.patches[i].patch->repository, report.patches[i]);
    }
  } else {
    for (std::size_t i = 0; i < parsed.size(); ++i) show_as_written(parsed[i], report.patches[i]);
  }
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    report.added_files.push_back({planned.patchset, planned.variant, file.repository, file.path, file.is_executable,
                                  file.bytes.size(), file.sha256, planned.issues});
  }
  return report;
}

}  // namespace torchpatch::ops
