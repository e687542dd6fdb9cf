// SPDX-License-Identifier: BSD-3-Clause
/// audit: the patches of a plan, a tree or the catalog for review before sign-off (AuditReport), and how a series of
/// patches changed (audit --against: SeriesReport).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/catalog.h"
#include "model/differences.h"
#include "model/plan.h"
#include "model/repository_path.h"
#include "support/digest.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

struct AuditLine {
  char kind = ' ';           ///< ' ' unchanged, '-' removed, '+' added
  std::uint32_t before = 0;  ///< 1-based line number in the old file; 0 = added
  std::uint32_t after = 0;   ///< 1-based line number in the new file; 0 = removed
  std::string text;          ///< without its newline
  bool has_newline = true;   ///< false: the file ends without one
  /// Changed bytes [begin, end) of `text`; empty: the whole line changed, or none of it.
  std::vector<std::pair<std::size_t, std::size_t>> changed;

  /// {"kind", "before", "after", "text", "newline", "changed": [[begin, end], …]}, defaults omitted.
  Json json() const {
    Json object = {{"kind", std::string(1, kind)}};
    if (before > 0) object["before"] = before;
    if (after > 0) object["after"] = after;
    object["text"] = text;
    if (!has_newline) object["newline"] = false;
    for (const auto& [begin, end] : changed) object["changed"].push_back({begin, end});
    return object;
  }
};
FIELDS(AuditLine, kind, before, after, text, has_newline)

using AuditHunk = std::vector<AuditLine>;

struct AuditFile {
  std::string path;                ///< after the patch; of a removed file, before it
  std::string old_path;            ///< empty if unchanged
  std::string change;              ///< "modify", "create", "remove", "rename", "copy"
  std::string mode;                ///< "100644 to 100755", or empty if unchanged
  std::optional<ObjectId> before;  ///< blob ids; absent if there is no file, or unknown
  std::optional<ObjectId> after;
  bool is_binary = false;
  std::vector<AuditHunk> hunks;
  std::size_t added = 0, removed = 0;  ///< lines
};
FIELDS(AuditFile, path, ("old_path", self.old_path, kNullIfNothing), change, ("mode", self.mode, kNullIfNothing),
       before, after, ("binary", self.is_binary), added, removed, hunks)

/// A warning for the reviewer (patch/review.h).
struct AuditRisk {
  std::string kind, path;
  std::uint32_t line = 0;  ///< 0 = the whole file
  std::string why;
};
FIELDS(AuditRisk, kind, path, ("line", self.line, kLeftOutIfZero), why)

struct AuditProof {
  std::string id, claim;
  std::string state;  ///< "proven", "not recorded", … (state_name() in model/proof.h)
  std::string date;   ///< of the current state, or empty
};
FIELDS(AuditProof, id, claim, state, ("date", self.date, kNullIfNothing))

struct AuditIssue {
  std::string id;
  std::string title, severity;  ///< empty if the catalog does not have the issue
};
FIELDS(AuditIssue, id, ("title", self.title, kNullIfNothing), ("severity", self.severity, kNullIfNothing))

/// A problem in a patch's header or form (patch/review.h).
struct AuditLint {
  int line = 0;  ///< of the patch file, 1-based; 0 = the whole patch
  std::string message;
};
FIELDS(AuditLint, line, message)

/// A file of a later release that contains the patch's change.
struct AuditUpstreamFile {
  std::string path;
  std::optional<ObjectId> blob;  ///< in that release; absent: the patch removes the file, and it is gone there too
  bool is_same = false;          ///< the same blob as after the patch; false: it has the change, but other lines differ
  std::vector<AuditHunk> hunks{};  ///< differences around the change, from the patched file to that one
};
FIELDS(AuditUpstreamFile, path, blob, ("same", self.is_same), ("difference", self.hunks))

/// Whether later releases contain a patch's change. If so, that is strong evidence for the patch; if not, it proves
/// nothing: upstream may have fixed the issue differently.
struct AuditUpstream {
  std::string since;                       ///< the first checked release that has it; empty: none
  std::string until;                       ///< the last of the consecutive releases from there that have it
  bool is_newest = false;                  ///< `until` is the newest checked
  std::vector<AuditUpstreamFile> files;    ///< at `since`
  std::size_t looked_at = 0;               ///< number of later releases checked
  std::vector<std::string> not_looked_at;  ///< later releases whose commits are not available
};
FIELDS(AuditUpstream, ("since", self.since, kNullIfNothing), ("until", self.until, kNullIfNothing),
       ("newest", self.is_newest), files, looked_at, not_looked_at)

/// Releases, and the boards that get the patch in each.
struct AuditPlaces {
  std::vector<std::string> releases, boards;
};
FIELDS(AuditPlaces, releases, boards)

/// The blobs of a file before and after a patch, as certified.
struct AuditCertificate {
  std::string path;
  std::optional<ObjectId> before, after;
  std::vector<std::string> releases;
};
FIELDS(AuditCertificate, path, before, after, releases)

enum class SeriesChange {
  same,         ///< the same text
  shifted,      ///< the same header and changes; other positions, blob ids or context lines
  changed,      ///< header or changes differ
  only_before,  ///< removed
  only_after,   ///< new
};

NAMES(SeriesChange, same, shifted, changed, (only_before, "only-before"), (only_after, "only-after"))

/// A similar patch of another variant, and how this one differs from it.
struct AuditRelative {
  std::string name;
  SeriesChange change = SeriesChange::same;
};
FIELDS(AuditRelative, ("patch", self.name), change)

/// Where a patch of the catalog is used.
struct AuditSpread {
  std::string shown_in;  ///< "1.9.0 for tx2 (jetpack-4.6)", or empty
  std::vector<AuditPlaces> places;
  std::vector<AuditCertificate> certificates;
  std::optional<AuditRelative> relative;  ///< the last patch above it with this name in the same patchset
};
FIELDS(AuditSpread, ("shown_in", self.shown_in, kNullIfNothing), places, certificates, relative)

struct AuditPatch {
  std::string patchset, variant;
  std::string file;  ///< relative to the patchset
  RepositoryPath repository;
  Sha256 sha256;
  std::vector<AuditIssue> issues;  ///< that it fixes
  /// DEP-3's Origin: "upstream", "backport", "vendor", "other", or empty if the header has none.
  std::string origin_kind;
  std::string origin_source;                                ///< a link, a commit or a name
  std::vector<std::pair<std::string, std::string>> fields;  ///< of the header, in order
  std::vector<AuditLint> lint;
  bool is_in_catalog = true;  ///< false: it is in a prepared tree, but not in the catalog
  bool is_certified = false;
  std::vector<AuditProof> proofs;
  std::vector<std::string> overlaps;  ///< patches in the same files: "names/1.1/0001-a.patch in setup.py"
  std::vector<AuditRisk> risks;
  std::optional<AuditUpstream> upstream;  ///< absent: not checked
  std::vector<AuditFile> files;
  bool is_in_files = false;             ///< hunks are placed in the files they apply to; false: as in the patch
  std::optional<AuditSpread> spread{};  ///< if the whole catalog is audited
};
FIELDS(AuditPatch, patchset, variant, file, repository, sha256, issues,
       ("origin", group([&](auto& g) {
          g("kind", self.origin_kind, kNullIfNothing);
          g("source", self.origin_source, kNullIfNothing);
        })),
       ("header", self.fields), lint, ("in_catalog", self.is_in_catalog), ("certified", self.is_certified), proofs,
       overlaps, risks, upstream, ("in_files", self.is_in_files), (kMembersOf, self.spread), files)

inline bool is_proven(const AuditPatch& patch) {
  for (const AuditProof& proof : patch.proofs)
    if (proof.state == "proven") return true;
  return false;
}

struct AuditAddedFile {
  std::string patchset, variant;
  RepositoryPath repository;
  std::string path;
  bool is_executable = false;
  std::size_t size = 0;  ///< bytes
  Sha256 sha256;
  std::vector<std::string> issues;
};
FIELDS(AuditAddedFile, patchset, variant, repository, path, ("executable", self.is_executable), size, sha256, issues)

/// A submodule at a different commit than the one its gitlink pins.
struct AuditOverride {
  std::string patchset, variant;
  SubmoduleOverride what;
  std::vector<std::string> issues;  ///< that it fixes
  Sha256 sha256{};                  ///< of the replaced commit, the new one and its URL, each with a newline

  std::string name() const { return concat(what.repository.text(), " at ", what.commit.hex()); }
};
FIELDS(AuditOverride, patchset, variant, (kMembersOf, self.what), issues, sha256)

/// Commands of the plan that build.sh runs.
struct AuditCommands {
  std::string name;  ///< "after the build: link-libgomp (issue gomp-missing)"
  std::vector<std::string> lines;
  Sha256 sha256;  ///< of the lines, each with a newline
};
FIELDS(AuditCommands, name, lines, sha256)

/// How a script of torchpatch/ differs from that of a plan for the same release without fixes, board and options.
struct AuditScript {
  std::string name;
  std::vector<AuditHunk> hunks;
};
FIELDS(AuditScript, name, ("difference", self.hunks))

/// What a build runs besides the sources.
struct AuditRuns {
  std::vector<PlannedSetting> variables;
  Sha256 variables_sha256;  ///< of one line per variable (upkeep/audit/audit.h)
  std::vector<AuditCommands> commands;
  std::vector<AuditScript> scripts;
};
FIELDS(AuditRuns, variables, ("variables_sha256", derived([&] {
                                return self.variables.empty() ? std::nullopt : std::optional(self.variables_sha256);
                              })),
       commands, scripts)

/// An approval by a valid signature of a key that the reader trusts.
struct AuditApproval {
  Approvable what;
  std::string signer, key;  ///< empty: not approved
  std::string date, file;
};
FIELDS(AuditApproval, (kMembersOf, self.what), ("signer", self.signer, kNullIfNothing),
       ("key", self.key, kNullIfNothing), ("date", self.date, kNullIfNothing), ("file", self.file, kNullIfNothing))

struct AuditApprovals {
  std::vector<AuditApproval> of;     ///< everything that runs, in report order
  std::vector<std::string> refused;  ///< approval files that do not count, and why
  bool are_none_read = false;        ///< no loaded catalog has any approvals
  bool is_unapproved_alone = false;  ///< approved items were left out
};
FIELDS(AuditApprovals, ("unapproved_alone", self.is_unapproved_alone), of, refused)

enum class AuditScope { plan, tree, catalog };
NAMES(AuditScope, plan, tree, catalog)

/// verify's result for the audited tree.
struct AuditedTree {
  ObjectId tree;
  Sha256 manifest;
  std::vector<Difference> differences;
  std::vector<std::string> options;  ///< non-default options of prepare
};
FIELDS(AuditedTree, ("id", self.tree), manifest, differences, options)

struct AuditReport {
  AuditScope scope = AuditScope::plan;
  std::string release, board, image;  ///< empty for a catalog
  std::optional<Sha256> plan;         ///< plan digest; absent for a catalog
  std::optional<AuditedTree> tree{};
  std::vector<std::string> contents{};  ///< for each component pinned by content: its content
  bool has_sources = false;             ///< files of the pinned commits or of the tree were read
  std::vector<AuditPatch> patches;      ///< in order of application; for a catalog, by patchset and variant
  std::vector<AuditOverride> overrides;
  std::vector<AuditAddedFile> added_files;
  AuditRuns runs{};
  std::optional<AuditApprovals> approvals{};  ///< absent: no trusted keys were given
  std::optional<Sha256> digest{};             ///< of this report's JSON; only in the JSON
};
FIELDS(AuditReport, ("schema", SchemaVersion{}), scope, ("release", self.release, kNullIfNothing),
       ("board", self.board, kNullIfNothing), ("image", self.image, kNullIfNothing), plan, tree, contents,
       ("sources", self.has_sources), patches, overrides, added_files, runs, approvals,
       ("digest", self.digest, kOptional, "SHA-256 of the report without this"))

inline bool is_unapproved_alone(const AuditReport& report) {
  return report.approvals && report.approvals->is_unapproved_alone;
}

struct SeriesEntry {
  SeriesChange change = SeriesChange::same;
  bool is_moved = false;              ///< its order among the patches common to both sides changed
  std::size_t before = 0, after = 0;  ///< 1-based place in the series; 0 = not in it
  std::string before_name, after_name;
  std::string title;  ///< first line of the description
  /// Differences in header fields and changed lines only. A line's text begins with its mark in the patch: "+", "-" or
  /// a blank (header field or file name). Line numbers are 0.
  std::vector<AuditHunk> hunks;

  static std::optional<std::size_t> place(std::size_t number) {
    return number > 0 ? std::optional(number) : std::nullopt;
  }
};
FIELDS(SeriesEntry, change, ("moved", self.is_moved), ("before", derived([&] { return self.place(self.before); })),
       ("after", derived([&] { return self.place(self.after); })), ("before_name", self.before_name, kNullIfNothing),
       ("after_name", self.after_name, kNullIfNothing), title, hunks)

struct SeriesReport {
  std::string before, after;         ///< "release 1.0.0 for tx2 (jetpack-3.3)"
  std::vector<SeriesEntry> entries;  ///< in the order of the later series
};
FIELDS(SeriesReport, ("schema", SchemaVersion{}), before, after, ("patches", self.entries))

}  // namespace torchpatch
