// SPDX-License-Identifier: BSD-3-Clause
/// port_patchsets(): carries the patchsets of a release to the next one. carry_variant() and merge_file() carry one
/// variant; look_at_python(), look_at_line_ends() and prove_carried() are what it has to pass, since clean is not
/// right; begin_port_work() and resolve_port_work() are for what a person resolves: one work repository for each
/// patchset, as patch edit makes them. There the branches base, ours and theirs have the files in conflict, words has
/// them merged word by word.
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

/// With conflicts it lies in the work directory.
struct PortRequest {
  std::string version;
  std::vector<std::string> patchsets;  ///< empty: those with a variant for the release before whose issues go on
  std::string from;                    ///< variant to begin with; empty: the one of the release before
  bool keeps_going = false;            ///< past conflicts
  std::vector<std::string> skipped{};
  std::vector<std::string> waiting{};  ///< patchsets that are left to a person
  bool has_written = false;            ///< the catalog has what was done so far
  WorkOrigin origin;
};
FIELDS(PortRequest, ("schema", SchemaVersion{1}), version, patchsets, from, ("keep_going", self.keeps_going), skipped,
       ("waiting", self.waiting, kIdRule),  // --skip removes what they name
       ("has_written", self.has_written), origin)

/// Returns the request that a work directory was made for. Raises environment where it is none.
PortRequest read_port_request(const std::string& work);
/// Leaves the first patchset out that waits for a person, from now on, one whose conflict is not resolved before one
/// where it is; returns its id. Raises as above, usage where there is none.
std::string skip_in_port(const std::string& work);
/// Removes what port wrote into a work directory that has a request, and the directory where nothing else is in it;
/// returns whether the catalog has some of what was done (--keep-going). Raises as read_port_request.
bool abort_port(const std::string& work);

struct PortOptions {
  std::string work;             ///< directory for what a person has to resolve
  bool continues = false;       ///< what is resolved there is taken
  bool drops_removed = false;   ///< of files that upstream removed
  bool takes_upstream = false;  ///< what upstream seems to have is upstream's, though no proof says so
  std::string today;            ///< "2026-11-25"
  int jobs = 1;
};

/// Carries patchsets to a release of the catalog, with all gates, and changes the catalog at the end: all of it, or
/// nothing where a patchset is left for a person (unless the request keeps going). Raises usage for names that the
/// catalog does not have and a variant that is for the release already; environment for a work directory that is in use
/// or has something else in it; source, patch.
PortReport port_patchsets(const PortRequest& request, const PortOptions& options, const Catalog& catalog,
                          const std::vector<catalog::Layer>& layers, source::ObjectSource& source, Console& console);

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

/// A file of a patch, as it was and as it is.
struct ChangedText {
  RepositoryPath repository;
  std::string path;
  std::string before, after;
};

/// Says which commit of upstream took a name out of a file.
using BlameName = std::function<std::optional<BlamedCommit>(const ChangedText& file, const std::string& name)>;

/// Compiles each Python file, and looks for names that the patched one uses, nobody binds, and the other does not use.
std::vector<PortGate> look_at_python(const std::vector<ChangedText>& files, const BlameName& blame);

/// Returns the first commit between the pins of two releases whose file has a name no more, where it is available.
std::optional<BlamedCommit> commit_without_name(const Catalog& catalog, const Release& from, const Release& to,
                                                const ChangedText& file, const std::string& name,
                                                source::ObjectSource& source, Console& console);

/// Names the files that have the line ends of Windows, and had not, or had, and have not: an editor's doing.
std::vector<PortGate> look_at_line_ends(const std::vector<ChangedText>& files);

/// Proves a patchset of `catalog` at `release`. Each proof that is made for the release that it was carried from must
/// be made for this one, and show red without the patches and green with them; of one that is not made for it the gate
/// says what it shows there. Raises as prove.
ProveReport prove_carried(const Catalog& catalog, const std::string& patchset, const Version& from,
                          const Version& release, source::ObjectSource& source, int jobs, Console& console,
                          std::vector<PortGate>& gates);

/// Returns whether the proofs of a patchset at a release hold without any patch, and there is one.
bool holds_without_patches(const Catalog& catalog, const std::string& patchset, const Version& release,
                           source::ObjectSource& source, int jobs, Console& console);

}  // namespace torchpatch::upkeep
