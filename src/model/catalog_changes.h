// SPDX-License-Identifier: BSD-3-Clause
/// What commands report that change a catalog: patches that were written anew (RefreshReport) or carried to another
/// release (PortReport), and entries that were removed (RemovalReport).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/repository_path.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

/// A recorded file that is not what it was without the entry.
struct HangingFile {
  std::string file;      ///< relative to the catalog directory
  bool is_gone = false;  ///< nothing of it holds any more; else it loses some
};
FIELDS(HangingFile, file, ("gone", self.is_gone))

struct RemovalReport {
  std::string entry;                 ///< "release 1.1.0", "patchset block-limit", "variant V1 of block-limit"
  bool is_done = false;              ///< else nothing was changed
  std::vector<std::string> files;    ///< its own, relative to the catalog directory; a folder with a slash at its end
  std::vector<HangingFile> hanging;  ///< certificates, outcomes of proofs, results
  std::vector<Finding> by_hand;      ///< what would be wrong in the catalog, and nobody but a person can settle
  std::vector<std::string> afterwards;  ///< what is no error in the data, but to be looked at
};
FIELDS(RemovalReport, ("schema", SchemaVersion{}), entry, ("removed", self.is_done), files, hanging, by_hand,
       afterwards)

struct RefreshedPatch {
  std::string file;  ///< relative to the patchset
  Sha256 sha256;
  bool is_changed = false;
  std::vector<std::string> paths;  ///< that it changes, in its repository
};
FIELDS(RefreshedPatch, file, sha256, ("changed", self.is_changed), paths)

struct RefreshReport {
  std::string patchset, variant, version;
  std::vector<RefreshedPatch> patches;  ///< in the order of application
  std::vector<std::string> written;     ///< files of the catalog
  std::vector<std::string> dropped;     ///< certificates and proof outcomes of the old patches: files that lost some
};
FIELDS(RefreshReport, ("schema", SchemaVersion{}), patchset, variant, ("release", self.version), patches, written,
       dropped)

// port: what became of patchsets that were carried to another release.

enum class PortResult {
  upstream,  ///< the release has the change: the variant ends before it
  widened,   ///< the patches apply as they are: the variant is for the release, too
  ported,    ///< merged with what changed: a new variant
  conflict,  ///< a person has to decide: files in conflict, or what is clean and wrong
};
NAMES(PortResult, upstream, widened, ported, conflict)

enum class PortConflictKind {
  content,     ///< both changed the same lines
  removed,     ///< upstream removed the file
  created,     ///< both have a file of that name
  upstream,    ///< upstream seems to have it already, which nothing proves
  ambiguous,   ///< the patch as it is and the merge make different files
  repository,  ///< the release has no such repository
};
NAMES(PortConflictKind, content, removed, created, upstream, ambiguous, repository)

/// An upstream commit, if the history is available.
struct BlamedCommit {
  ObjectId id;
  std::string subject;
};
FIELDS(BlamedCommit, id, subject)

struct PortConflict {
  RepositoryPath repository;
  std::string path;      ///< in the older release
  std::string new_path;  ///< in the release; empty: it is not there
  PortConflictKind kind = PortConflictKind::content;
  std::optional<BlamedCommit> commit{};  ///< that moved the lines
  bool has_words = false;                ///< a merge by words is clean, and offered
};
FIELDS(PortConflict, repository, path, ("new_path", self.new_path, kNullIfNothing), kind, commit,
       ("words", self.has_words))

/// What speaks against a variant although it came out clean, or what nobody has shown of it.
struct PortGate {
  std::string gate;  ///< "sources", "lint", "python", "certificates" or "proof"
  std::string message;
  bool is_wrong = false;                 ///< it is not written
  std::optional<BlamedCommit> commit{};  ///< of upstream, that brought it about
};
FIELDS(PortGate, gate, message, ("wrong", self.is_wrong), commit)

/// A patch of the old variant that changes nothing at the release.
struct LeftOutPatch {
  std::string file;                      ///< relative to the patchset
  std::optional<BlamedCommit> commit{};  ///< that brought its change upstream
};
FIELDS(LeftOutPatch, file, ("commit", self.commit, kNullIfNothing))

struct PortedPatchset {
  std::string id;
  std::string from;          ///< variant
  std::string from_release;  ///< whose pinned files it was carried from
  PortResult result = PortResult::conflict;
  std::string variant;  ///< that is for the release now; empty: none
  std::vector<PortConflict> conflicts{};
  std::optional<BlamedCommit> commit{};  ///< that brought the change upstream
  std::vector<LeftOutPatch> left_out{};  ///< the variant does without them
  std::vector<PortGate> gates{};
  std::vector<std::string> issues{};  ///< that it answers and that affect the release
  bool has_work = false;              ///< it lies in the work directory
};
FIELDS(PortedPatchset, id, from, from_release, result, ("variant", self.variant, kNullIfNothing), commit, conflicts,
       left_out, gates, issues)

/// Whether a person has to decide something before it can be written.
inline bool needs_person(const PortedPatchset& ported) {
  return ported.result == PortResult::conflict || std::ranges::any_of(ported.gates, &PortGate::is_wrong);
}

struct PortReport {
  std::string version;
  std::string before;  ///< the release before
  std::vector<PortedPatchset> patchsets;
  std::vector<std::string> left;     ///< patchsets that were not come to
  std::vector<std::string> skipped;  ///< that a person left out
  std::vector<std::string> written;  ///< files of the catalog
  std::string work;                  ///< where conflicts are to be settled; empty: there are none
  std::string catalog{};             ///< the options that name its catalog, each with a blank in front
};
FIELDS(PortReport, ("schema", SchemaVersion{}), version, before, patchsets, left, skipped,
       ("work", self.work, kNullIfNothing), written)

}  // namespace torchpatch
