// SPDX-License-Identifier: BSD-3-Clause
/// Proofs: commands that fail on the pinned tree without a patchset and pass with it (patchsets/<id>/proof.json), their
/// recorded outcomes, and the results of prove.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/repository_path.h"
#include "model/text_rules.h"
#include "model/version.h"
#include "support/digest.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

struct Catalog;
struct Patchset;
struct Release;
struct Variant;

extern const TextRule kTreePathRule;  ///< relative

/// A part of the pinned tree that a proof reads.
struct ProofPart {
  RepositoryPath repository;
  std::vector<std::string> paths;  ///< files, or directories with everything below them; empty = the whole repository
};
FIELDS(ProofPart, repository, ("paths", self.paths, kOptional, kTreePathRule, kUnique))

struct Proof {
  std::string id;                                  ///< unique in its patchset
  std::string claim;                               ///< what it shows, one line
  VersionRange releases;                           ///< that it was made for
  std::vector<std::string> tools;                  ///< programs that it needs
  std::vector<ProofPart> tree;                     ///< empty: the files that the patches touch
  std::vector<std::vector<std::string>> commands;  ///< argv arrays with the placeholders {tree}, {proof} and {work}
  std::string red;        ///< text that the failing run must print, so that it fails for the expected reason
  int seconds = 300;      ///< limit per command
  int memory_mib = 2048;  ///< address space limit per process
};
FIELDS(Proof, ("id", self.id, kIdRule, "unique in its patchset"), ("claim", self.claim, kLineRule), releases,
       ("tools", self.tools, kNameRule, kNotEmpty, kUnique, "programs that it needs"),
       ("tree", self.tree, kOptional, "what it reads; absent: what the patches touch"),
       ("commands", self.commands, kLineRule, kNotEmpty,
        "argv arrays with the placeholders {tree}, {proof} and {work}"),
       ("red", self.red, kLineRule, "text that the failing run prints"),
       ("limits", group([&](auto& g) {
          g("seconds", self.seconds, kOptional, Range{1, 600}, "of each command");
          g("memory_mib", self.memory_mib, kOptional, Range{16, 16384}, "address space of each process");
        }),
        kOptional))
/// Reports unknown placeholders, and programs that are not among the tools.
void check_fields(ObjectReader& object, const Proof& proof);

/// Releases without a proof, and why.
struct Unproven {
  VersionRange releases;
  std::string why;
};
FIELDS(Unproven, releases, ("why", self.why, kLineRule))

enum class ProofVerdict { proven, not_red, not_green, no_tool };
NAMES(ProofVerdict, proven, not_red, not_green, no_tool)

/// A recorded outcome of `prove --record` (patchsets/<id>/proofs/<release>.json).
struct ProofRecord {
  std::string proof;
  Version release;
  std::string variant;
  Sha256 subject;  ///< proof_subject() at the time of the run
  int before_exit = 0;
  int after_exit = 0;
  ProofVerdict verdict = ProofVerdict::proven;
  std::map<std::string, std::string> tools;  ///< tool → version, as it prints it
  std::string date;                          ///< since when the outcome is unchanged: 2026-11-21
  bool operator==(const ProofRecord&) const = default;
};
FIELDS(ProofRecord, ("proof", self.proof, kIdRule), ("variant", self.variant, kNameRule), subject,
       ("before_exit", self.before_exit, Range{0, 255}), ("after_exit", self.after_exit, Range{0, 255}), verdict,
       ("tools", self.tools, kOptional, "tool: its version"), ("date", self.date, kDateRule, "since when"))
/// Reports a verdict that contradicts the exit codes.
void check_fields(ObjectReader& object, const ProofRecord& record);

/// patchsets/<id>/proofs/<release>.json
struct ProofRecordFile {
  std::string patchset;
  std::string release;
  std::vector<ProofRecord> proofs;
};
FIELDS(ProofRecordFile, ("schema", SchemaVersion{}), ("patchset", self.patchset, kIdRule),
       ("release", self.release, kIdRule), ("proofs", self.proofs, kNotEmpty))

/// The proofs of a patchset.
struct ProofSet {
  std::string patchset;
  std::vector<Proof> proofs;
  std::vector<Unproven> unproven;
  std::map<std::string, std::string> files;  ///< of proof/, which is copied to {proof}: relative path → bytes
  std::vector<ProofRecord> records;          ///< sorted by (release, proof)
};
/// proof.json
FIELDS(ProofSet, ("schema", SchemaVersion{}), ("patchset", self.patchset, kIdRule), ("proofs", self.proofs, kOptional),
       ("unproven", self.unproven, kOptional))
/// Reports duplicate proof ids, and a file with neither a proof nor a reason.
void check_fields(ObjectReader& object, const ProofSet& set);

/// Returns a digest of everything that determines a proof's outcome except the tools: the pins, the variant's patches
/// and added files, the proof and its files. A record with a different digest is out of date.
Sha256 proof_subject(const Release& release, const Variant& variant, const Proof& proof, const ProofSet& set);

// Results of prove, and the current state of recorded proofs.

struct ProofOutcome {
  std::string patchset;
  std::string proof;
  Version release;
  std::string variant;
  Sha256 subject;
  ProofVerdict verdict = ProofVerdict::proven;
  int before_exit = 0, after_exit = 0;      ///< of the first command that failed, or 0; not run if a tool is missing
  std::string before_output, after_output;  ///< the last part of its output; paths as {tree}, {proof} and {work}
  std::vector<std::string> missing_tools;
  std::map<std::string, std::string> tools;  ///< tool → version, as it prints it

  /// Returns the exit code, or nothing if the proof was not run.
  std::optional<int> if_run(int exit) const {
    return verdict == ProofVerdict::no_tool ? std::nullopt : std::optional(exit);
  }
};
FIELDS(ProofOutcome, ("patch", self.patchset), proof, release, variant, subject,
       ("before_exit", derived([&] { return self.if_run(self.before_exit); })),
       ("after_exit", derived([&] { return self.if_run(self.after_exit); })), verdict, missing_tools, tools,
       before_output, after_output)

/// A patchset and release without a proof, or a release that could not be read.
struct NotProven {
  std::string patchset;  ///< empty: the whole release
  std::string release;   ///< or a range
  std::string why;
};
FIELDS(NotProven, ("patch", self.patchset, kNullIfNothing), release, why)

struct ProveReport {
  std::vector<ProofOutcome> proofs;  ///< sorted by patchset, release, proof
  std::vector<NotProven> unproven;
};
FIELDS(ProveReport, ("schema", SchemaVersion{}), proofs, unproven)

/// A proof at one release of the catalog.
struct ProofState {
  const Release* release = nullptr;
  const Variant* variant = nullptr;
  const Proof* proof = nullptr;
  const ProofRecord* record = nullptr;  ///< null: not recorded
  bool is_current = false;              ///< the record is for the current pins, patches and commands
};

/// Returns the variant made for a release, certified or not, or null.
const Variant* variant_made_for(const Patchset& patchset, const Version& release);

/// Returns the states of all proofs of a patchset, at each release covered by both the proof and a variant.
std::vector<ProofState> proof_states(const Patchset& patchset, const Catalog& catalog);

/// Returns "proven", "not_red", "not_green", "outdated" or "not recorded".
std::string state_name(const ProofState& state);

/// Returns how many releases of the catalog a variant is made for, and at how many of them there are proofs and all are
/// proven: "proven at 20 of 21 releases".
std::string coverage_text(const Patchset& patchset, const Catalog& catalog);

}  // namespace torchpatch
