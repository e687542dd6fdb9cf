// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <set>

#include "patch/patch_file.h"
#include "patch/review.h"
#include "source/closure/pinned_lookup.h"
#include "support/text.h"
#include "support/wire.h"
#include "trees/prepare/patched_tree.h"
#include "upkeep/audit/audit.h"

namespace torchpatch::upkeep {

namespace {

/// Moves risks along with hunks that were found at other lines.
void move_risks(const patch::FilePatch& file, const std::vector<patch::MovedHunk>& moved,
                std::vector<AuditRisk>& risks) {
  for (AuditRisk& risk : risks) {
    const auto is_in = [&](std::uint32_t start, std::uint32_t count) {
      return risk.line >= start && risk.line < start + std::max(count, 1u);
    };
    if (risk.path != file.path() || risk.line == 0) continue;
    for (const patch::MovedHunk& each : moved) {
      const patch::Hunk& hunk = file.hunks.at(static_cast<std::size_t>(each.hunk - 1));
      if (!is_in(hunk.new_start, hunk.new_count) && !is_in(hunk.old_start, hunk.old_count)) continue;
      risk.line = static_cast<std::uint32_t>(static_cast<long>(risk.line) + each.offset);
      break;
    }
  }
}

/// Shows one patch in `files`. Of several changes of one file, each is shown in the result of the previous one, as in
/// apply_patch; all others refer to the files before the patch.
void show_patch(const patch::PatchFile& parsed, patch::FileSource& files, std::size_t context, AuditPatch& entry) {
  std::map<std::string, patch::TreeFile> made;
  for (std::size_t i = 0; i < parsed.files.size(); ++i) {
    const patch::FilePatch& file = parsed.files[i];
    std::optional<patch::TreeFile> before;
    if (file.kind == patch::ChangeKind::modify && made.contains(file.old_path))
      before = made[file.old_path];
    else if (!file.old_path.empty())
      before = files.read(file.old_path);
    std::vector<patch::MovedHunk> moved;
    const std::optional<patch::TreeFile> after = patch::apply_content(file, before, moved);
    AuditFile& shown = entry.files[i];
    shown.hunks = audit_hunks(patch::widen_context(file.hunks, before ? before->bytes : "", context, file.path()));
    move_risks(file, moved, entry.risks);
    shown.before = patch::file_id(before);
    shown.after = patch::file_id(after);
    if (after) made[file.new_path] = *after;
  }
  entry.is_in_files = true;
}

}  // namespace

MemoryFiles read_paths(const std::set<std::string>& paths, const source::LocatedRepository& repository,
                       source::PinnedLookup& lookup) {
  MemoryFiles found;
  for (const std::string& path : paths) {
    const auto entry = lookup.find(repository, path);
    if (!entry) continue;
    if (entry->mode == FileMode::directory)
      found.directories.insert(path);
    else if (entry->mode == FileMode::gitlink)
      found.files[path] = {entry->mode, entry->id.hex()};
    else
      found.files[path] = {entry->mode, lookup.read_blob(repository, *entry)};
  }
  return found;
}

void show_in_files(const std::vector<AuditStep>& steps, const BaseFiles& base, std::size_t context,
                   std::vector<AuditPatch>& entries) {
  std::map<RepositoryPath, patch::Changes> changes;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const AuditStep& step = steps[i];
    patch::FileSource* const pinned = base(step.repository);
    if (!pinned)
      throw Error(ErrorKind::patch, concat("showing ", quote(step.name()), ": the pins have no repository ",
                                           quote(step.repository.text())));
    patch::Changes& so_far = changes[step.repository];
    patch::OverlayFiles files(*pinned, so_far);
    patch::SeriesResult applied =
        patch::apply_series({{step.name(), step.repository, step.parsed, step.edges}}, step.repository, files);
    show_patch(step.parsed, files, context, entries[i]);
    for (auto& [path, file] : applied.changes) so_far[path] = std::move(file);
  }
}

ShownPlan describe_plan(Plan plan, const Catalog& catalog) {
  ShownPlan shown{std::move(plan), {}, {}};
  shown.steps = plan_steps(shown.plan);
  shown.entries = describe_patches(shown.steps, shown.plan.release->version.text(), catalog);
  return shown;
}

void show_plans(const std::vector<ShownPlan*>& plans, const Catalog& catalog, source::ObjectSource& source,
                std::size_t context, int jobs, Console& console) {
  using Files = std::map<RepositoryPath, MemoryFiles>;
  const auto task = [&](source::PinnedLookup& lookup, std::size_t item) {
    const ShownPlan& shown = *plans[item];
    std::map<RepositoryPath, std::set<std::string>> touched;
    for (const AuditStep& step : shown.steps) touched[step.repository].merge(patch::touched_paths(step.parsed));
    const std::vector<SubmoduleOverride> overrides = trees::overrides_of(shown.plan);
    Files files;
    for (const auto& [path, names] : touched)
      if (const auto* const repository = lookup.find_repository(*shown.plan.release, path, overrides))
        files[path] = read_paths(names, *repository, lookup);
    return to_wire(files);
  };
  std::vector<source::LookupResult> results =
      source::run_lookups(plans.size(), task, catalog.moved_repositories, source, jobs, console);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i]->missing = std::move(results[i].missing);
    if (!plans[i]->missing.empty()) continue;
    auto files = from_wire<Files>(results[i].bytes);
    const BaseFiles base = [&](const RepositoryPath& path) -> patch::FileSource* { return find_value(files, path); };
    show_in_files(plans[i]->steps, base, context, plans[i]->entries);
  }
}

}  // namespace torchpatch::upkeep
