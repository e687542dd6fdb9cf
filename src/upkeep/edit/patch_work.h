// SPDX-License-Identifier: BSD-3-Clause
/// patch new, patch edit and patch refresh: a repository with the pinned files that patches touch and a commit for each
/// patch (PatchWork, by git in WorkRepository), and the patches made of it again (refresh_patch_work).
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
  /// Of a directory that read_patch_work looked at, or that create() makes a repository of. Everything here raises
  /// environment where git fails or is not there.
  explicit WorkRepository(std::string directory);

  /// Makes it an empty repository on the branch work, whose files are taken byte by byte, whatever their attributes
  /// say.
  void create() const;
  /// Lets a branch name a commit.
  void set_branch(const std::string& name, const std::string& commit) const;
  std::string branch_tip(const std::string& name) const;
  /// Removes the locks of a git that was ended by force.
  void unlock() const;
  /// Makes files, index and newest commit those of a commit; files that no commit has go.
  void reset(const std::string& commit) const;
  /// Takes all files into the index, and lets those of `entries` (lines of git update-index --index-info) be in
  /// conflict.
  void stage_conflicts(const std::string& entries) const;
  /// Returns what is in conflict and not yet settled in the index: path → blob of the second side.
  std::map<std::string, std::string> unmerged() const;
  /// Commits all files as they are; returns the commit's id.
  std::string commit(const std::string& message) const;
  std::string head() const;
  std::string tree_of(const std::string& commit) const;
  /// Returns the commits from `base` (exclusive) to the newest one, oldest first.
  std::vector<WorkCommit> commits_since(const std::string& base) const;
  /// Returns the tree of all files as they are; the index stays as it is.
  std::string tree_of_files() const;
  /// Returns the paths that differ between two commits or trees.
  std::vector<std::string> changed_paths(const std::string& before, const std::string& after) const;
  /// Returns their difference below `folder`, with full ids, binary files in full, and no renames.
  std::string diff(const std::string& before, const std::string& after, const std::string& folder) const;

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

 private:
  std::string git(const std::vector<std::string>& args, const std::string& index = {},
                  const std::string& input = {}) const;

  std::string directory_;
  TempDir settings_;
};

/// Somebody may have handed a work over: git is to take the text for nothing else.
inline const TextRule kCommitRule{"the id of a commit",
                                  [](std::string_view text) { return ObjectId::parse(text).has_value(); }};

/// A patch of the work.
struct WorkPatch {
  std::string file;  ///< relative to the patchset
  RepositoryPath repository;
  std::string sha256;  ///< of the file in the catalog; empty where it is a new one
  std::string commit;  ///< of the work, as it was written
};
FIELDS(WorkPatch, ("file", self.file, kSafePathRule), repository, sha256,
       ("commit", self.commit, kCommitRule, kMayBeEmpty))

/// A file that may change.
struct WorkFile {
  RepositoryPath repository;
  std::string path;  ///< in it; empty: all of the repository
  auto operator<=>(const WorkFile&) const = default;
};
FIELDS(WorkFile, repository, ("path", self.path, kSafePathRule, kMayBeEmpty))

/// Where the catalog and the sources of a work come from.
struct WorkOrigin {
  std::vector<std::string> catalogs;  ///< of --catalog; directories absolute
  std::string source;
  std::vector<std::string> mirrors;  ///< absolute
};
FIELDS(WorkOrigin, catalogs, source, mirrors)

/// What a work directory says of itself: .git/torchpatch.json.
struct PatchWork {
  std::string patchset, variant, version;
  std::string directory;  ///< catalog directory that has the patchset, absolute
  WorkOrigin origin;
  std::string described;                    ///< sha256 of patchset.json; empty where the patchset is a new one
  std::string base;                         ///< commit of the pinned files
  std::map<std::string, std::string> pins;  ///< component → commit
  std::vector<WorkFile> files;
  std::vector<WorkPatch> patches;
};
FIELDS(PatchWork, ("schema", SchemaVersion{1}), ("patchset", self.patchset, kSafePathRule), variant, version, directory,
       origin, described, ("base", self.base, kCommitRule, kMayBeEmpty), pins, files, patches)

/// Raises environment where the directory is none that patch new or patch edit made, data where its state is damaged,
/// unsafe where that or anything in the directory leads to files elsewhere (git::refuse_traps).
PatchWork read_patch_work(const std::string& work);

struct NewPatchWork {
  std::string patchset;
  std::string variant;  ///< of a patchset that is there; empty: a new patchset with one variant
  std::string version;
  RepositoryPath repository;       ///< of the files, and of a new patch
  std::vector<std::string> files;  ///< that may change, besides those that the patches touch
  std::string work;                ///< an empty or new directory
  std::string into;                ///< of a new patchset: the catalog directory
  WorkOrigin origin;
  std::string today;  ///< "2026-11-25"
};

/// Writes the work; returns what it says of itself. Raises usage: unknown names, a variant that is not for the release,
/// an id that is taken; patch: a patch does not apply, a path that is a directory or submodule; source; environment.
PatchWork begin_patch_work(const NewPatchWork& wanted, const Catalog& catalog,
                           const std::vector<catalog::Layer>& layers, source::ObjectSource& source, Console& console);

/// Writes the patches of a work anew, with their digests, drops what was recorded of the old ones, and certifies the
/// work's release again, by one change_catalog; layers over the patchset's lose what was recorded there before that. A
/// patch that is as it was keeps its bytes. Raises patch, before anything is written: pins or patches changed since,
/// commits that are not one for each patch in their order, marks of conflicts, a change that is empty or outside the
/// work's files, a header that lint_patch has something against; and as certify_patches.
RefreshReport refresh_patch_work(const std::string& work, PatchWork state, const catalog::CatalogToCertify& loaded,
                                 const std::vector<catalog::Layer>& layers, source::ObjectSource& source,
                                 const std::string& today, int jobs, Console& console);

// What works of port share with those of patch edit.

class WorkRepository;

/// Error of kind patch: a work that cannot go into the catalog as it is.
class UnfitWork : public Error {
 public:
  UnfitWork(std::string message, std::string hint) : Error(ErrorKind::patch, std::move(message), std::move(hint)) {}
};

/// Returns where a file lies in a work: as in a prepared tree.
std::string work_path(const WorkFile& file);
/// Returns the pins that decide a work's files: those of their components.
std::map<std::string, std::string> pins_of_work(const Release& release, const PatchWork& state);
/// Writes the state of a work. Raises environment.
void write_patch_work(const std::string& work, const PatchWork& state);
/// Writes a file in place of whatever stands at a path; a link as one. Raises environment.
void write_work_file(const std::string& path, const patch::TreeFile& file);
/// Returns the message of the commit of a patch with that text, or with that header alone. The name stands first: it is
/// what git log shows of a commit.
std::string commit_message(std::string_view header, const std::string& file);
/// Returns the patch that a commit's message names, or empty text.
std::string patch_named_in(const std::string& message);
/// Raises UnfitWork, with the hint, where the catalog is no longer what the work began with.
void check_unchanged(const PatchWork& state, const Catalog& catalog, const std::string& hint);
/// Raises UnfitWork where a line that a diff adds is a mark of a conflict; `folder` stands before its paths.
void check_conflict_marks(const std::string& diff, const std::string& folder);

/// A patch as it is in the work.
struct MadePatch : RefreshedPatch {
  std::string text;  ///< empty where it changes nothing
  std::string tip;   ///< its last commit
};

/// Returns the patches in order; one that nobody changed with the bytes that it has in `patchset` (null: a new one),
/// the others dated `today`. Raises UnfitWork as refresh_patch_work raises patch, but not for a patch that changes
/// nothing.
std::vector<MadePatch> make_work_patches(const PatchWork& state, const Patchset* patchset,
                                         const WorkRepository& repository, const std::string& today);

}  // namespace torchpatch::upkeep
