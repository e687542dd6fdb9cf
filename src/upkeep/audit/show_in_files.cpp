// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/audit/show_in_files.h"

#include <algorithm>
#include <map>
#include <set>

#include "patch/apply.h"
#include "patch/context.h"
#include "patch/patch_file.h"
#include "source/closure/pinned_lookup.h"
#include "support/digest.h"
#include "support/text.h"
#include "support/wire.h"

namespace torchpatch::upkeep {

namespace {

using Touched = std::map<RepositoryPath, std::set<std::string>>;

Touched touched_by(const TouchedRequest& request) {
  Touched touched;
  for (const AuditStep& step : *request.steps) touched[step.repository].merge(patch::touched_paths(step.parsed));
  return touched;
}

void write_path(WireWriter& writer, const source::LocatedRepository& repository, const std::string& path,
                source::PinnedLookup& lookup) {
  const auto entry = lookup.find(repository, path);
  writer.put(entry ? std::optional(entry->mode) : std::nullopt);
  if (!entry || entry->mode == FileMode::directory) return;
  writer.put(entry->mode == FileMode::gitlink ? entry->id.hex() : lookup.read_blob(repository, *entry));
}

std::string look(const TouchedRequest& request, source::PinnedLookup& lookup) {
  WireWriter writer;
  for (const auto& [path, files] : touched_by(request)) {
    const source::LocatedRepository* repository = lookup.find_repository(*request.release, path, request.overrides);
    writer.put(repository != nullptr);
    if (!repository) continue;
    for (const std::string& file : files) write_path(writer, *repository, file, lookup);
  }
  return writer.take();
}

TouchedFiles decode(const TouchedRequest& request, std::string_view bytes) {
  TouchedFiles result;
  WireReader reader(bytes);
  for (const auto& [repository, paths] : touched_by(request)) {
    if (!reader.get<bool>()) continue;
    MemoryFiles& files = result.repositories[repository];
    for (const std::string& path : paths) {
      const auto mode = reader.get<std::optional<FileMode>>();
      if (mode == FileMode::directory)
        files.add_directory(path);
      else if (mode)
        files.add(path, {*mode, reader.get<std::string>()});
    }
  }
  return result;
}

bool is_in(std::uint32_t line, std::uint32_t start, std::uint32_t count) {
  return line >= start && line < start + std::max(count, 1u);
}

/// Moves what there is to look at along with hunks that were found off their lines.
void move_risks(const patch::FilePatch& file, const std::vector<patch::MovedHunk>& moved,
                std::vector<AuditRisk>& risks) {
  for (AuditRisk& risk : risks) {
    if (risk.path != file.path() || risk.line == 0) continue;
    for (const patch::MovedHunk& each : moved) {
      const patch::Hunk& hunk = file.hunks.at(static_cast<std::size_t>(each.hunk - 1));
      if (!is_in(risk.line, hunk.new_start, hunk.new_count) && !is_in(risk.line, hunk.old_start, hunk.old_count))
        continue;
      risk.line = static_cast<std::uint32_t>(static_cast<long>(risk.line) + each.offset);
      break;
    }
  }
}

/// Shows one patch in `files`. Of several changes of one file each is shown in what the one before it made, as
/// apply_patch has it; everything else that a patch does is about the files before it.
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

std::vector<TouchedFiles> read_touched_files(const std::vector<TouchedRequest>& requests,
                                             const std::vector<MovedRepository>& moved, source::ObjectSource& source,
                                             int jobs, Console& console) {
  const source::LookupTask task = [&](source::PinnedLookup& lookup, std::size_t item) {
    return look(requests[item], lookup);
  };
  std::vector<source::LookupResult> looked = source::run_lookups(requests.size(), task, moved, source, jobs, console);
  std::vector<TouchedFiles> results(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (looked[i].missing.empty())
      results[i] = decode(requests[i], looked[i].bytes);
    else
      results[i].missing = std::move(looked[i].missing);
  return results;
}

BaseFiles base_files(TouchedFiles& files) {
  return [&files](const RepositoryPath& path) -> patch::FileSource* { return find_value(files.repositories, path); };
}

void show_in_files(const std::vector<AuditStep>& steps, const BaseFiles& base, std::size_t context,
                   std::vector<AuditPatch>& entries) {
  std::map<RepositoryPath, patch::Changes> changes;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const AuditStep& step = steps[i];
    patch::FileSource* const pinned = base(step.repository);
    if (!pinned) {
      throw Error(ErrorKind::patch, concat("showing ", quote(step.name()), ": the pins have no repository ",
                                           quote(step.repository.text())));
    }
    patch::Changes& so_far = changes[step.repository];
    patch::OverlayFiles files(*pinned, so_far);
    patch::SeriesResult applied =
        patch::apply_series({{step.name(), step.repository, step.parsed, step.edges}}, step.repository, files);
    show_patch(step.parsed, files, context, entries[i]);
    for (auto& [path, file] : applied.changes) so_far[path] = std::move(file);
  }
}

}  // namespace torchpatch::upkeep
