// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/check/upstream_change.h"

#include <algorithm>

#include "patch/apply.h"
#include "patch/patch_file.h"
#include "source/closure/commit_history.h"
#include "support/text.h"

namespace torchpatch::upkeep {

namespace {

/// Returns what the first patch of a chain that touches a file does to it.
std::optional<patch::FilePatch> first_change_of(const trees::PatchChain& chain, const std::string& path) {
  for (const PlannedPatch& planned : chain.patches)
    for (patch::FilePatch& file : patch::parse_patch(planned.patch->text, planned.patch->file).files)
      if (file.old_path == path && !file.old_id.empty()) return std::move(file);
  return std::nullopt;
}

bool fits(const patch::FilePatch& file, const source::FileChange& change, source::CommitHistory& history) {
  try {
    std::optional<patch::TreeFile> content;
    if (change.blob) content = {FileMode::regular, history.read_blob(*change.blob)};
    std::vector<patch::MovedHunk> moved;
    patch::apply_content(file, content, moved);
    return true;
  } catch (const patch::ApplyError&) {
    return false;
  }
}

/// The release's repository, where a file is the one that a patch was made for.
const source::LocatedRepository* made_for(const patch::FilePatch& file, const trees::PatchChain& chain,
                                          const Release& release, source::PinnedLookup& lookup) {
  try {
    const source::LocatedRepository* repository = lookup.find_repository(release, chain.repository);
    const auto entry = repository ? lookup.find(*repository, file.old_path) : std::nullopt;
    return entry && starts_with(entry->id.hex(), file.old_id) ? repository : nullptr;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::source && error.kind() != ErrorKind::unsafe) throw;
    return nullptr;  // its sources are not at hand, or refused
  }
}

}  // namespace

std::string upstream_change_text(const Catalog& catalog, const Release& release, const trees::PatchChain& chain,
                                 const trees::ChainOutcome& outcome, source::PinnedLookup& lookup) {
  if (!outcome.failure) return {};
  const std::optional<patch::FilePatch> file = first_change_of(chain, outcome.path);
  if (!file) return {};
  const source::LocatedRepository* now = lookup.find_repository(release, chain.repository, chain.overrides);
  source::PinnedLookup others(lookup.store(), catalog.moved_repositories);  // what they lack is no lack of the release
  for (const Release* other : nearest_releases(catalog, release.version)) {
    const source::LocatedRepository* from = made_for(*file, chain, *other, others);
    if (!from) continue;
    source::CommitHistory history(lookup.store(), from->pin.commit, now->pin.commit);
    try {
      for (const source::FileChange& change : history.changes_of(file->old_path))
        if (!fits(*file, change, history))
          return concat("; upstream changed it in ", change.commit.id.hex().substr(0, 12), " (", change.commit.subject,
                        ")");
    } catch (const source::AbsentObject&) {
    }
    return {};
  }
  return {};
}

}  // namespace torchpatch::upkeep
