// SPDX-License-Identifier: BSD-3-Clause
/// port_patchsets(): ports the patchsets of a release to the next one. carry_variant() and merge_file() port one
/// variant; look_at_python(), look_at_line_ends() and prove_carried() are gates, since a clean merge may still be
/// wrong; begin_port_work() and resolve_port_work() are for conflicts that a person resolves: one work repository per
/// patchset, as for patch edit. Its branches base, ours and theirs have the files in conflict, words has them merged
/// word by word.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "model/catalog_changes.h"
#include "model/proof.h"
#include "model/text_rules.h"
#include "patch/apply.h"
#include "source/closure/commit_history.h"
#include "source/closure/object_source.h"
#include "source/closure/pinned_lookup.h"
#include "support/console.h"
#include "support/fields.h"
#include "support/json_fields.h"
#include "upkeep/edit/patch_work.h"

namespace torchpatch::upkeep {

/// A request to port; with conflicts it is stored in the work directory.
struct PortRequest {
  std::string version;
  std::vector<std::string> patchsets;  ///< empty: those with a variant for the previous release whose issues continue
  std::string from;                    ///< variant to start from; empty: the previous release's
  bool keeps_going = false;            ///< despite conflicts
  std::vector<std::string> skipped{};
  std::vector<std::string> waiting{};  ///< patchsets left to a person
  bool has_written = false;            ///< the catalog has the results so far
  WorkOrigin origin;
};
FIELDS(PortRequest, ("schema", SchemaVersion{1}), version, patchsets, from, ("keep_going", self.keeps_going), skipped,
       ("waiting", self.waiting, kIdRule),  // --skip removes what they name
       ("has_written", self.has_written), origin)

/// Returns the request of a work directory. Raises environment if it is not one.
PortRequest read_port_request(const std::string& work);
/// Skips the first patchset that waits for a person, preferring one whose conflict is not resolved; returns its id.
/// Raises as above, usage if there is none.
std::string skip_in_port(const std::string& work);
/// Removes port's files from a work directory with a request, and the directory if nothing else is in it; returns
/// whether the catalog has some of the results (--keep-going). Raises as read_port_request.
bool abort_port(const std::string& work);

struct PortOptions {
  std::string work;             ///< directory for conflicts
  bool continues = false;       ///< use what was resolved there
  bool drops_removed = false;   ///< drop changes to files that upstream removed
  bool takes_upstream = false;  ///< treat what upstream seems to have as upstream's, even without proof
  std::string today;            ///< "2026-11-25"
  int jobs = 1;
};

/// Ports patchsets to a release of the catalog, with all gates, and changes the catalog at the end: completely, or not
/// at all if a patchset is left to a person (unless the request keeps going). Raises usage for unknown names and a
/// variant that already covers the release; environment for a work directory that is in use or contains something else;
/// source, patch.
PortReport port_patchsets(const PortRequest& request, const PortOptions& options, const Catalog& catalog,
                          const std::vector<catalog::Layer>& layers, source::ObjectSource& source, Console& console);

using RepositoryChanges = std::map<RepositoryPath, patch::Changes>;

/// A file before and after a ported patch.
struct CarriedFile {
  std::string path;  ///< in the newer release
  std::optional<patch::TreeFile> before, after;
};
FIELDS(CarriedFile, path, before, after)

/// A file being ported; if it has conflicts, a person has to resolve them.
struct MergedFile {
  PortConflict what;                      ///< its paths; kind, commit and has_words if there is a conflict
  std::optional<patch::TreeFile> base;    ///< in the older release, with the previous patches
  std::optional<patch::TreeFile> ours;    ///< with this one
  std::optional<patch::TreeFile> theirs;  ///< in the newer release, with the previous patches
  std::optional<patch::TreeFile> merged;  ///< nothing: removed; with conflict markers if lines conflict
  std::string words;                      ///< merged word by word, if that is clean; or empty
};
FIELDS(MergedFile, what, base, ours, theirs, merged, words)

struct CarriedPatch {
  std::vector<CarriedFile> files;
  std::vector<MergedFile> conflicts;     ///< empty: it was ported
  std::optional<BlamedCommit> commit{};  ///< that has its change, if nothing is left of it
  bool is_upstream_by_lines = false;     ///< nothing is left, but the files differ from its result on the older ones
};
FIELDS(CarriedPatch, files, conflicts, commit, is_upstream_by_lines)

struct CarriedVariant {
  std::string from_release;              ///< empty: no release of the variant has its pinned files available
  bool is_upstream = false;              ///< every file equals the patches' result
  bool is_reversible = false;            ///< the patches can be reversed in the newer release
  bool applies = false;                  ///< the unchanged patches give the same result as the merge
  std::optional<BlamedCommit> commit{};  ///< for is_upstream and is_reversible
  std::vector<CarriedPatch> patches;     ///< up to the first with conflicts
  RepositoryChanges rest;                ///< pinned files of later patches, and those that a person resolved
  /// Added files and overrides of the variant that conflict with the release, and why an override does not match it.
  std::vector<PortConflict> collisions;
  std::vector<std::string> blockers;
};
FIELDS(CarriedVariant, from_release, is_upstream, is_reversible, applies, commit, patches, rest, collisions, blockers)

/// The state of port's work: that of patch edit, plus .git/torchpatch-port.json.
struct PortWork {
  PatchWork state;
  std::string from;  ///< variant
  std::string from_release;
  std::vector<std::string> messages;     ///< commit messages of the patches
  std::vector<WorkFile> removed;         ///< changed by the patch in conflict, but removed upstream
  std::int64_t carried = 0;              ///< number of patches with a commit
  bool has_conflict = false;             ///< the next one is for a person to resolve
  std::string behind;                    ///< commit after which patches are being written; empty: complete
  std::vector<LeftOutPatch> upstream{};  ///< patches of which nothing was left, with commits
};

/// A person's resolution of the patches so far.
struct ResolvedWork {
  PortWork work;
  RepositoryChanges changes;  ///< relative to the pinned files
  std::size_t patches = 0;    ///< number with a commit
};

/// A patchset to port to a release.
struct CarryTask {
  const Patchset* patchset = nullptr;
  const Variant* variant = nullptr;  ///< that it is ported from
  const Release* to = nullptr;
  std::string new_variant;
  std::vector<const Release*> from;  ///< the first whose files are available is used
  bool drops_removed = false;        ///< drop changes to files that upstream removed
  std::optional<ResolvedWork> resolved{};

  /// Returns how many patches a person has finished.
  std::size_t resolved_patches() const { return resolved ? resolved->patches : 0; }
};

/// Ports the patches of a variant from one release's pinned files to another's; runs in a worker. Raises as
/// PinnedLookup for `to`; patch if the patches do not apply to their own release.
CarriedVariant carry_variant(const CarryTask& task, source::PinnedLookup& lookup);

/// The releases that a file is merged between.
struct MergePlace {
  std::string old_release, new_release;
  source::CommitHistory& history;
};

/// Merges a patch's change of a file with upstream's: `file` has its paths, base, ours and theirs set. Returns whether
/// the merge is clean. It is a conflict even then if lines added by the patch are new in upstream's file too.
bool merge_file(MergedFile& file, const MergePlace& place);

/// Converts a commit to the form in reports.
inline BlamedCommit blamed(const source::HistoryCommit& commit) { return {commit.id, commit.subject}; }

/// Returns whether a directory is a work of port.
bool is_port_work(const std::string& work);
/// Returns whether a directory is a partial work that a killed begin_port_work left next to a work.
bool is_half_port_work(const std::string& path);
/// Creates a work with the ported patches, the last possibly in conflict; `work` must not exist, and appears
/// atomically. Raises environment.
PatchWork begin_port_work(const std::string& work, const CarryTask& task, const CarriedVariant& carried,
                          const WorkOrigin& origin, const std::string& directory);
/// Continues a work after what is resolved.
PatchWork continue_port_work(const std::string& work, const ResolvedWork& resolved, const CarriedVariant& carried);
/// Returns whether a work has a conflict that a person resolved.
bool has_resolved_conflict(const std::string& work);
/// Commits a person's changes to the patch in conflict, and returns the state. Raises UnfitWork if conflict markers are
/// left, a file is unchanged and not in the index, a file removed upstream is still missing (unless `drops_removed`),
/// or the patch's commit does not name it.
ResolvedWork resolve_port_work(const std::string& work, bool drops_removed);

/// A file of a patch, before and after.
struct ChangedText {
  RepositoryPath repository;
  std::string path;
  std::string before, after;
};

/// Returns the upstream commit that removed a name from a file.
using BlameName = std::function<std::optional<BlamedCommit>(const ChangedText& file, const std::string& name)>;

/// Compiles each Python file, and finds unbound names that the patched file uses and the original does not.
std::vector<PortGate> look_at_python(const std::vector<ChangedText>& files, const BlameName& blame);

/// Returns the first commit between the pins of two releases whose file lacks a name, if available.
std::optional<BlamedCommit> commit_without_name(const Catalog& catalog, const Release& from, const Release& to,
                                                const ChangedText& file, const std::string& name,
                                                source::ObjectSource& source, Console& console);

/// Returns the files whose line endings changed to or from Windows': an editor's doing.
std::vector<PortGate> look_at_line_ends(const std::vector<ChangedText>& files);

/// Runs the proofs of a patchset of `catalog` at `release`. Each proof made for the original release must be made for
/// this one too, fail without the patches and pass with them; for one that is not, the gate has its outcome. Raises as
/// prove.
ProveReport prove_carried(const Catalog& catalog, const std::string& patchset, const Version& from,
                          const Version& release, source::ObjectSource& source, int jobs, Console& console,
                          std::vector<PortGate>& gates);

/// Returns whether the proofs of a patchset at a release pass without patches, and there is at least one.
bool holds_without_patches(const Catalog& catalog, const std::string& patchset, const Version& release,
                           source::ObjectSource& source, int jobs, Console& console);

}  // namespace torchpatch::upkeep
