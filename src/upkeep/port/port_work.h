// SPDX-License-Identifier: BSD-3-Clause
/// How port carries a variant (carry_variant, merge_file), and the work repositories in which a person resolves
/// conflicts (begin_port_work, resolve_port_work): one for each patchset, as patch edit makes them. There the branches
/// base, ours and theirs have the files in conflict, words has them merged word by word.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/catalog_changes.h"
#include "patch/apply.h"
#include "source/closure/commit_history.h"
#include "source/closure/pinned_lookup.h"
#include "support/fields.h"
#include "upkeep/edit/patch_work.h"

namespace torchpatch::upkeep {

using RepositoryChanges = std::map<RepositoryPath, patch::Changes>;

/// A file as it is before a carried patch, and behind it.
struct CarriedFile {
  std::string path;  ///< in the newer release
  std::optional<patch::TreeFile> before, after;
};
FIELDS(CarriedFile, path, before, after)

/// A file on its way to the newer release; with conflicts a person has to look at it.
struct MergedFile {
  PortConflict what;                      ///< its paths; kind, commit and has_words where there is a conflict
  std::optional<patch::TreeFile> base;    ///< of the older release, with the patches before this one
  std::optional<patch::TreeFile> ours;    ///< with this one
  std::optional<patch::TreeFile> theirs;  ///< of the newer release, with the patches before this one
  std::optional<patch::TreeFile> merged;  ///< nothing: it goes; with marks, where lines conflict
  std::string words;                      ///< merged word by word, where that is clean; or empty
};
FIELDS(MergedFile, what, base, ours, theirs, merged, words)

struct CarriedPatch {
  std::vector<CarriedFile> files;
  std::vector<MergedFile> conflicts;     ///< none: it was carried
  std::optional<BlamedCommit> commit{};  ///< that has its change, where nothing is left of it
  bool is_upstream_by_lines = false;     ///< nothing is left, though the files are not what it makes of the older ones
};
FIELDS(CarriedPatch, files, conflicts, commit, is_upstream_by_lines)

struct CarriedVariant {
  std::string from_release;              ///< empty: the pinned files of no release of the variant are available
  bool is_upstream = false;              ///< every file is what the patches make of it
  bool is_reversible = false;            ///< the patches can be taken out of the newer release
  bool applies = false;                  ///< the patches as they are make the same of it as the merge
  std::optional<BlamedCommit> commit{};  ///< of is_upstream and is_reversible
  std::vector<CarriedPatch> patches;     ///< up to the first with conflicts
  RepositoryChanges rest;  ///< pinned files that the patches behind that change, and that a person resolved
  /// What the variant brings besides patches, and that the release has no room for: files and overrides; and why an
  /// override does not go with the release.
  std::vector<PortConflict> collisions;
  std::vector<std::string> blockers;
};
FIELDS(CarriedVariant, from_release, is_upstream, is_reversible, applies, commit, patches, rest, collisions, blockers)

/// The state of a work of port: that of a work of patch edit, and besides .git/torchpatch-port.json.
struct PortWork {
  PatchWork state;
  std::string from;  ///< variant
  std::string from_release;
  std::vector<std::string> messages;     ///< of the patches' commits
  std::vector<WorkFile> removed;         ///< that the patch in conflict changes and upstream removed
  std::int64_t carried = 0;              ///< so many patches have a commit
  bool has_conflict = false;             ///< the one behind them is for a person to resolve
  std::string behind;                    ///< commit behind which patches are being written; empty: the work is whole
  std::vector<LeftOutPatch> upstream{};  ///< patches that nothing was left of, with commits
};

/// What a person made of the patches so far.
struct ResolvedWork {
  PortWork work;
  RepositoryChanges changes;  ///< against the pinned files
  std::size_t patches = 0;    ///< that have a commit
};

/// A patchset on its way to a release.
struct CarryTask {
  const Patchset* patchset = nullptr;
  const Variant* variant = nullptr;  ///< that it is carried from
  const Release* to = nullptr;
  std::string new_variant;
  std::vector<const Release*> from;  ///< the first whose files are available counts
  bool drops_removed = false;        ///< what is done to files that upstream removed is dropped
  std::optional<ResolvedWork> resolved{};

  /// How many patches a person has come to an end with.
  std::size_t resolved_patches() const { return resolved ? resolved->patches : 0; }
};

/// Carries the patches of a variant from one release's pinned files to another's; in a worker. Raises as PinnedLookup
/// for `to`; patch where the patches do not apply to their own release.
CarriedVariant carry_variant(const CarryTask& task, source::PinnedLookup& lookup);

/// The releases that a file is merged between.
struct MergePlace {
  std::string old_release, new_release;
  source::CommitHistory& history;
};

/// Merges what a patch does to one file with what upstream did to it: `file` comes with its paths, base, ours and
/// theirs. Returns whether that is clean. Clean is not right: where lines that the patch adds are new in upstream's
/// file as well, that is a conflict.
bool merge_file(MergedFile& file, const MergePlace& place);

/// Returns a commit as reports name it.
inline BlamedCommit blamed(const source::HistoryCommit& commit) { return {commit.id, commit.subject}; }

/// Returns whether a directory is a work of port.
bool is_port_work(const std::string& work);
/// Returns whether a directory is one that begin_port_work, ended by force, left half written beside a work.
bool is_half_port_work(const std::string& path);
/// Writes a work with the carried patches, the last perhaps in conflict; `work` is absent, and comes at once. Raises
/// environment.
PatchWork begin_port_work(const std::string& work, const CarryTask& task, const CarriedVariant& carried,
                          const WorkOrigin& origin, const std::string& directory);
/// Continues a work behind what is resolved.
PatchWork continue_port_work(const std::string& work, const ResolvedWork& resolved, const CarriedVariant& carried);
/// Returns whether a work has a conflict, and a person resolved it.
bool has_resolved_conflict(const std::string& work);
/// Commits what a person did to the patch in conflict, and returns what there is then. Raises UnfitWork where marks of
/// the conflict are left, where a file is as it was written and not in the index, where a file that upstream removed is
/// still gone, unless `drops_removed`, and where the patch has a commit that does not name it.
ResolvedWork resolve_port_work(const std::string& work, bool drops_removed);

}  // namespace torchpatch::upkeep
