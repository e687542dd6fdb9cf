// SPDX-License-Identifier: BSD-3-Clause
/// audit: the patches of a plan, a tree or the catalog as a reviewer reads them before signing off (AuditReport), and
/// how a series of patches changed (audit --against: SeriesReport).
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
  std::uint32_t before = 0;  ///< its number in the file before, 1-based; 0 = it is added
  std::uint32_t after = 0;   ///< its number in the file after, 1-based; 0 = it is removed
  std::string text;          ///< without its end
  bool has_newline = true;   ///< false: the file ends without one
  /// Bytes [begin, end) of `text` that changed; none = all of the line, or nothing of it.
  std::vector<std::pair<std::size_t, std::size_t>> changed;

  /// {"kind", "before", "after", "text", "newline", "changed": [[begin, end], …]}, without what says nothing.
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
  std::string path;                ///< after the patch, or of a removed file
  std::string old_path;            ///< empty where it is the same
  std::string change;              ///< "modify", "create", "remove", "rename", "copy"
  std::string mode;                ///< "100644 to 100755", or empty where it stays
  std::optional<ObjectId> before;  ///< blobs; absent where there is none, or where nobody knows
  std::optional<ObjectId> after;
  bool is_binary = false;
  std::vector<AuditHunk> hunks;
  std::size_t added = 0, removed = 0;  ///< lines
};
FIELDS(AuditFile, path, ("old_path", self.old_path, kNullIfNothing), change, ("mode", self.mode, kNullIfNothing),
       before, after, ("binary", self.is_binary), added, removed, hunks)

/// A place to look at twice (patch/risk.h).
struct AuditRisk {
  std::string kind, path;
  std::uint32_t line = 0;  ///< 0 = the whole file
  std::string why;
};
FIELDS(AuditRisk, kind, path, ("line", self.line, kLeftOutIfZero), why)

struct AuditProof {
  std::string id, claim;
  std::string state;  ///< "proven", "not recorded", … (proof_state.h)
  std::string date;   ///< since when, or empty
};
FIELDS(AuditProof, id, claim, state, ("date", self.date, kNullIfNothing))

struct AuditIssue {
  std::string id;
  std::string title, severity;  ///< empty where the catalog has no such issue
};
FIELDS(AuditIssue, id, ("title", self.title, kNullIfNothing), ("severity", self.severity, kNullIfNothing))

/// What is wrong with the header or the form of a patch (patch/lint.h).
struct AuditLint {
  int line = 0;  ///< of the patch file, 1-based; 0 = the whole patch
  std::string message;
};
FIELDS(AuditLint, line, message)

/// One file of a later release that has what the patch makes.
struct AuditUpstreamFile {
  std::string path;
  std::optional<ObjectId> blob;  ///< there; absent: the patch removes the file, and it is gone there too
  bool is_same = false;          ///< the very blob that the patch makes; false: the change is in it, other lines differ
  std::vector<AuditHunk> hunks{};  ///< around the change, from what the patch makes to what is there
};
FIELDS(AuditUpstreamFile, path, blob, ("same", self.is_same), ("difference", self.hunks))

/// Whether later releases have the change of a patch. That they have is strong evidence; that they have not is none:
/// upstream may have solved it in another way.
struct AuditUpstream {
  std::string since;                       ///< the first later release that has it; empty: none that was looked at
  std::string until;                       ///< the last one up to which each has it
  bool is_newest = false;                  ///< `until` is the newest that was looked at
  std::vector<AuditUpstreamFile> files;    ///< at `since`
  std::size_t looked_at = 0;               ///< later releases
  std::vector<std::string> not_looked_at;  ///< later releases whose commits are nowhere
};
FIELDS(AuditUpstream, ("since", self.since, kNullIfNothing), ("until", self.until, kNullIfNothing),
       ("newest", self.is_newest), files, looked_at, not_looked_at)

/// Releases and the boards that get the patch in each of them.
struct AuditPlaces {
  std::vector<std::string> releases, boards;
};
FIELDS(AuditPlaces, releases, boards)

/// What certificates say a patch makes of a file.
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
  only_before,  ///< is gone
  only_after,   ///< is new
};

NAMES(SeriesChange, same, shifted, changed, (only_before, "only-before"), (only_after, "only-after"))

/// A patch of another variant that comes to mind, and how this one differs from it.
struct AuditRelative {
  std::string name;
  SeriesChange change = SeriesChange::same;
};
FIELDS(AuditRelative, ("patch", self.name), change)

/// Who gets a patch of the catalog.
struct AuditSpread {
  std::string shown_in;  ///< "1.9.0 for tx2 (jetpack-4.6)", or empty
  std::vector<AuditPlaces> places;
  std::vector<AuditCertificate> certificates;
  std::optional<AuditRelative> relative;  ///< of the patches above it, the last of this name in the same patchset
};
FIELDS(AuditSpread, ("shown_in", self.shown_in, kNullIfNothing), places, certificates, relative)

struct AuditPatch {
  std::string patchset, variant;
  std::string file;  ///< of the patch, relative to the patchset
  RepositoryPath repository;
  Sha256 sha256;
  std::vector<AuditIssue> issues;  ///< that it answers
  /// DEP-3's Origin: "upstream", "backport", "vendor", "other", or empty: the header does not say.
  std::string origin_kind;
  std::string origin_source;                                ///< a link, a commit or a name
  std::vector<std::pair<std::string, std::string>> fields;  ///< of its header, in order
  std::vector<AuditLint> lint;
  bool is_in_catalog = true;  ///< false: a prepared tree has it, the catalog does not
  bool is_certified = false;
  std::vector<AuditProof> proofs;
  std::vector<std::string> overlaps;  ///< "names/1.1/0001-a.patch in setup.py": other patches of the plan in its files
  std::vector<AuditRisk> risks;
  std::optional<AuditUpstream> upstream;  ///< absent: nobody looked
  std::vector<AuditFile> files;
  bool is_in_files = false;             ///< hunks stand in the files that it is for; false: as the patch has them
  std::optional<AuditSpread> spread{};  ///< of an audit of the whole catalog
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

/// A submodule that is taken at another commit than the one that the release pins.
struct AuditOverride {
  std::string patchset, variant;
  SubmoduleOverride what;
  std::vector<std::string> issues;  ///< that it answers
  Sha256 sha256{};                  ///< of what it replaces, by what and from where, each with a newline

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

/// A script of torchpatch/ against that of a plan of the same release without fix, board and options.
struct AuditScript {
  std::string name;
  std::vector<AuditHunk> hunks;
};
FIELDS(AuditScript, name, ("difference", self.hunks))

/// What a build runs besides the sources.
struct AuditRuns {
  std::vector<PlannedSetting> variables;
  Sha256 variables_sha256;  ///< of a line for each (upkeep/audit/what_runs.h)
  std::vector<AuditCommands> commands;
  std::vector<AuditScript> scripts;
};
FIELDS(AuditRuns, variables, ("variables_sha256", derived([&] {
                                return self.variables.empty() ? std::nullopt : std::optional(self.variables_sha256);
                              })),
       commands, scripts)

/// Who approved something, by a good signature of a key that the reader allows.
struct AuditApproval {
  Approvable what;
  std::string signer, key;  ///< empty: nobody
  std::string date, file;
};
FIELDS(AuditApproval, (kMembersOf, self.what), ("signer", self.signer, kNullIfNothing),
       ("key", self.key, kNullIfNothing), ("date", self.date, kNullIfNothing), ("file", self.file, kNullIfNothing))

struct AuditApprovals {
  std::vector<AuditApproval> of;     ///< each thing that runs, in the order of the report
  std::vector<std::string> refused;  ///< files of approvals that do not count, and why
  bool are_none_read = false;        ///< no catalog that was read has any
  bool is_unapproved_alone = false;  ///< what is approved was left out
};
FIELDS(AuditApprovals, ("unapproved_alone", self.is_unapproved_alone), of, refused)

/// What an audit is of.
enum class AuditScope { plan, tree, catalog };
NAMES(AuditScope, plan, tree, catalog)

/// What verify says of the prepared tree that is audited.
struct AuditedTree {
  ObjectId tree;
  Sha256 manifest;
  std::vector<Difference> differences;
  std::vector<std::string> options;  ///< what whoever prepared it chose
};
FIELDS(AuditedTree, ("id", self.tree), manifest, differences, options)

struct AuditReport {
  AuditScope scope = AuditScope::plan;
  std::string release, board, image;  ///< empty for a catalog
  std::optional<Sha256> plan;         ///< its digest; absent for a catalog
  std::optional<AuditedTree> tree{};
  std::vector<std::string> contents{};  ///< of each component that is pinned by content, and not by commit: of what
  bool has_sources = false;             ///< pinned files, or those of the tree, were read
  std::vector<AuditPatch> patches;      ///< in the order of application; of a catalog by patchset and variant
  std::vector<AuditOverride> overrides;
  std::vector<AuditAddedFile> added_files;
  AuditRuns runs{};
  std::optional<AuditApprovals> approvals{};  ///< absent: nobody said whose count
  std::optional<Sha256> digest{};             ///< of its JSON, in that alone
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
  bool is_moved = false;              ///< it comes in another order among the patches that both sides have
  std::size_t before = 0, after = 0;  ///< places in the series, 1-based; 0: it is not there
  std::string before_name, after_name;
  std::string title;  ///< first line of the description
  /// What differs between the two, header fields and changed lines alone; a line's text begins with what it is in the
  /// patch: "+", "-" or a blank for a header field or the name of a file. Its numbers are 0.
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
