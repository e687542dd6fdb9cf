// SPDX-License-Identifier: BSD-3-Clause
/// patch new, patch edit and patch refresh: a git repository with the pinned files that patches touch and a commit for
/// each patch (PatchWork, WorkRepository), and regenerating the patches from it (refresh_patch_work).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "model/catalog_changes.h"
#include "model/json_forms.h"
#include "patch/apply.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/json_fields.h"

namespace torchpatch::upkeep {

struct WorkCommit {
  std::string id, parents, message;
};

class WorkRepository {
 public:
  /// For a directory checked by read_patch_work, or initialised by create(). All functions raise environment if git
  /// fails or is missing.
  explicit WorkRepository(std::string directory);

  /// Makes it an empty repository on the branch work that stores files byte by byte, whatever their attributes.
  void create() const;
  /// Sets a branch to a commit.
  void set_branch(const std::string& name, const std::string& commit) const;
  std::string branch_tip(const std::string& name) const;
  /// Removes locks left by a killed git.
  void unlock() const;
  /// Resets files, index and newest commit to a commit; files not in it are removed.
  void reset(const std::string& commit) const;
  /// Adds all files to the index, and marks those in `entries` (lines of git update-index --index-info) as conflicts.
  void stage_conflicts(const std::string& entries) const;
  /// Returns conflicts not yet resolved in the index: path → blob of the second side.
  std::map<std::string, std::string> unmerged() const;
  /// Commits all files as they are; returns the id.
  std::string commit(const std::string& message) const;
  std::string head() const;
  std::string tree_of(const std::string& commit) const;
  /// Returns the commits from `base` (exclusive) to the newest one, oldest first.
  std::vector<WorkCommit> commits_since(const std::string& base) const;
  /// Returns the tree of all files as they are; the index is unchanged.
  std::string tree_of_files() const;
  /// Returns the paths that differ between two commits or trees.
  std::vector<std::string> changed_paths(const std::string& before, const std::string& after) const;
  /// Returns their diff below `folder`, with full ids, full binary files, and no renames.
  std::string diff(const std::string& before, const std::string& after, const std::string& folder) const;

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

 private:
  std::string git(const std::vector<std::string>& args, const std::string& index = {},
                  const std::string& input = {}) const;

  std::string directory_;
  TempDir settings_;
};

/// A work may come from someone else: git must not interpret the text as anything but an id.
inline const TextRule kCommitRule{"the id of a commit",
                                  [](std::string_view text) { return ObjectId::parse(text).has_value(); }};

/// A patch of the work.
struct WorkPatch {
  std::string file;  ///< relative to the patchset
  RepositoryPath repository;
  std::string sha256;  ///< of the file in the catalog; empty if new
  std::string commit;  ///< in the work, when it was written
};
FIELDS(WorkPatch, ("file", self.file, kSafePathRule), repository, sha256,
       ("commit", self.commit, kCommitRule, kMayBeEmpty))

/// A file that may be changed.
struct WorkFile {
  RepositoryPath repository;
  std::string path;  ///< in it; empty: the whole repository
  auto operator<=>(const WorkFile&) const = default;
};
FIELDS(WorkFile, repository, ("path", self.path, kSafePathRule, kMayBeEmpty))

/// Origin of a work's catalog and sources.
struct WorkOrigin {
  std::vector<std::string> catalogs;  ///< of --catalog; directories absolute
  std::string source;
  std::vector<std::string> mirrors;  ///< absolute
};
FIELDS(WorkOrigin, catalogs, source, mirrors)

/// The state of a work directory: .git/torchpatch.json.
struct PatchWork {
  std::string patchset, variant, version;
  std::string directory;  ///< catalog directory with the patchset, absolute
  WorkOrigin origin;
  std::string described;                    ///< sha256 of patchset.json; empty if the patchset is new
  std::string base;                         ///< commit of the pinned files
  std::map<std::string, std::string> pins;  ///< component → commit
  std::vector<WorkFile> files;
  std::vector<WorkPatch> patches;
};
FIELDS(PatchWork, ("schema", SchemaVersion{1}), ("patchset", self.patchset, kSafePathRule), variant, version, directory,
       origin, described, ("base", self.base, kCommitRule, kMayBeEmpty), pins, files, patches)

/// Raises environment if the directory was not made by patch new or patch edit, data if its state is damaged, unsafe if
/// that or anything in the directory leads to files elsewhere (git::refuse_traps).
PatchWork read_patch_work(const std::string& work);

struct NewPatchWork {
  std::string patchset;
  std::string variant;  ///< of an existing patchset; empty: a new patchset with one variant
  std::string version;
  RepositoryPath repository;       ///< of the files and of a new patch
  std::vector<std::string> files;  ///< that may be changed, besides those that the patches touch
  std::string work;                ///< an empty or new directory
  std::string into;                ///< for a new patchset: the catalog directory
  WorkOrigin origin;
  std::string today;  ///< "2026-11-25"
};

/// Creates the work; returns its state. Raises usage: unknown names, a variant that is not for the release, an id that
/// is taken; patch: a patch does not apply, a path is a directory or submodule; source; environment.
PatchWork begin_patch_work(const NewPatchWork& wanted, const Catalog& catalog,
                           const std::vector<catalog::Layer>& layers, source::ObjectSource& source, Console& console);

/// Regenerates the patches of a work, with their digests, drops records of the old ones, and certifies the work's
/// release again, by one change_catalog; before that, layers above the patchset's lose their records of it. An
/// unchanged patch keeps its bytes. Raises patch, before anything is written: pins or patches changed since, commits
/// that are not one per patch in order, conflict markers, a change that is empty or outside the work's files, a header
/// with lint_patch findings; and as certify_patches.
RefreshReport refresh_patch_work(const std::string& work, PatchWork state, const catalog::CatalogToCertify& loaded,
                                 const std::vector<catalog::Layer>& layers, source::ObjectSource& source,
                                 const std::string& today, int jobs, Console& console);

// Shared by works of port and of patch edit.

class WorkRepository;

/// Error of kind patch: a work that cannot be written to the catalog as it is.
class UnfitWork : public Error {
 public:
  UnfitWork(std::string message, std::string hint) : Error(ErrorKind::patch, std::move(message), std::move(hint)) {}
};

/// Returns the path of a file in a work, the same as in a prepared tree.
std::string work_path(const WorkFile& file);
/// Returns the pins that determine a work's files: those of their components.
std::map<std::string, std::string> pins_of_work(const Release& release, const PatchWork& state);
/// Writes the state of a work. Raises environment.
void write_patch_work(const std::string& work, const PatchWork& state);
/// Writes a file (or a link), replacing whatever is at the path. Raises environment.
void write_work_file(const std::string& path, const patch::TreeFile& file);
/// Returns the commit message for a patch with this text or header. It begins with the patch's name, which git log
/// shows.
std::string commit_message(std::string_view header, const std::string& file);
/// Returns the patch named in a commit message, or empty text.
std::string patch_named_in(const std::string& message);
/// Raises UnfitWork, with the hint, if the catalog changed since the work began.
void check_unchanged(const PatchWork& state, const Catalog& catalog, const std::string& hint);
/// Raises UnfitWork if a line added by a diff is a conflict marker; `folder` precedes its paths.
void check_conflict_marks(const std::string& diff, const std::string& folder);

/// A patch generated from the work.
struct MadePatch : RefreshedPatch {
  std::string text;  ///< empty if it changes nothing
  std::string tip;   ///< its last commit
};

/// Returns the patches in order: unchanged ones with their bytes in `patchset` (null: a new one), others dated `today`.
/// Raises UnfitWork where refresh_patch_work raises patch, except for a patch that changes nothing.
std::vector<MadePatch> make_work_patches(const PatchWork& state, const Patchset* patchset,
                                         const WorkRepository& repository, const std::string& today);

}  // namespace torchpatch::upkeep
