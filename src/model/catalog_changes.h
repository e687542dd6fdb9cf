// SPDX-License-Identifier: BSD-3-Clause
/// Reports of commands that change a catalog: refreshed patches (RefreshReport), patches ported to another release
/// (PortReport), and removed entries (RemovalReport).
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

/// A recorded file that changes because an entry is removed.
struct HangingFile {
  std::string file;      ///< relative to the catalog directory
  bool is_gone = false;  ///< the whole file becomes obsolete; false: part of it
};
FIELDS(HangingFile, file, ("gone", self.is_gone))

struct RemovalReport {
  std::string entry;                    ///< "release 1.1.0", "patchset block-limit", "variant V1 of block-limit"
  bool is_done = false;                 ///< false: nothing was changed
  std::vector<std::string> files;       ///< its own, relative to the catalog directory; folders end with a slash
  std::vector<HangingFile> hanging;     ///< certificates, outcomes of proofs, results
  std::vector<Finding> by_hand;         ///< errors the removal would cause, to be fixed by hand first
  std::vector<std::string> afterwards;  ///< not errors in the data, but to review
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
  std::vector<RefreshedPatch> patches;  ///< in order of application
  std::vector<std::string> written;     ///< files of the catalog
  std::vector<std::string> dropped;     ///< files that lost certificates or proof outcomes of the old patches
};
FIELDS(RefreshReport, ("schema", SchemaVersion{}), patchset, variant, ("release", self.version), patches, written,
       dropped)

// port: the result for each patchset ported to another release.

enum class PortResult {
  upstream,  ///< the release has the change: the variant ends before it
  widened,   ///< the patches apply unchanged: the variant now includes the release
  ported,    ///< merged with upstream's changes into a new variant
  conflict,  ///< needs a person: files in conflict, or a clean merge that is wrong
};
NAMES(PortResult, upstream, widened, ported, conflict)

enum class PortConflictKind {
  content,     ///< both sides changed the same lines
  removed,     ///< upstream removed the file
  created,     ///< both sides have a file of that name
  upstream,    ///< upstream seems to have the change, but that is not proven
  ambiguous,   ///< applying the patch unchanged and merging it give different files
  repository,  ///< the release does not have the repository
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
  std::string new_path;  ///< in the new release; empty: not there
  PortConflictKind kind = PortConflictKind::content;
  std::optional<BlamedCommit> commit{};  ///< that moved the lines
  bool has_words = false;                ///< a word-level merge is clean and is offered
};
FIELDS(PortConflict, repository, path, ("new_path", self.new_path, kNullIfNothing), kind, commit,
       ("words", self.has_words))

/// A problem in a variant that merged cleanly, or something about it that was not checked.
struct PortGate {
  std::string gate;  ///< "sources", "lint", "python", "certificates" or "proof"
  std::string message;
  bool is_wrong = false;                 ///< the variant is not written
  std::optional<BlamedCommit> commit{};  ///< upstream commit that caused it
};
FIELDS(PortGate, gate, message, ("wrong", self.is_wrong), commit)

/// A patch of the old variant that has no effect on the new release.
struct LeftOutPatch {
  std::string file;                      ///< relative to the patchset
  std::optional<BlamedCommit> commit{};  ///< that made the change upstream
};
FIELDS(LeftOutPatch, file, ("commit", self.commit, kNullIfNothing))

struct PortedPatchset {
  std::string id;
  std::string from;          ///< variant
  std::string from_release;  ///< whose pinned files the port started from
  PortResult result = PortResult::conflict;
  std::string variant;  ///< that now covers the release; empty: none
  std::vector<PortConflict> conflicts{};
  std::optional<BlamedCommit> commit{};  ///< that made the change upstream
  std::vector<LeftOutPatch> left_out{};  ///< not needed in the new variant
  std::vector<PortGate> gates{};
  std::vector<std::string> issues{};  ///< that it fixes and that affect the release
  bool has_work = false;              ///< it is in the work directory
};
FIELDS(PortedPatchset, id, from, from_release, result, ("variant", self.variant, kNullIfNothing), commit, conflicts,
       left_out, gates, issues)

/// Whether a person has to decide something before the result can be written.
inline bool needs_person(const PortedPatchset& ported) {
  return ported.result == PortResult::conflict || std::ranges::any_of(ported.gates, &PortGate::is_wrong);
}

struct PortReport {
  std::string version;
  std::string before;  ///< the previous release
  std::vector<PortedPatchset> patchsets;
  std::vector<std::string> left;     ///< patchsets not processed
  std::vector<std::string> skipped;  ///< skipped at the user's request
  std::vector<std::string> written;  ///< files of the catalog
  std::string work;                  ///< directory for resolving conflicts; empty: none
  std::string catalog{};             ///< options that select the catalog, each with a leading blank
};
FIELDS(PortReport, ("schema", SchemaVersion{}), version, before, patchsets, left, skipped,
       ("work", self.work, kNullIfNothing), written)

}  // namespace torchpatch
