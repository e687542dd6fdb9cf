// SPDX-License-Identifier: BSD-3-Clause
/// Proofs: commands that fail on the pinned tree without a patchset and pass with it. Data: patchsets/<id>/proof.json.
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

struct Release;
struct Variant;

extern const TextRule kTreePathRule;  ///< relative

/// A part of the pinned tree that a proof reads.
struct ProofPart {
  RepositoryPath repository;
  std::vector<std::string> paths;  ///< files, or directories with all below them; empty = the whole repository
};
FIELDS(ProofPart, repository, ("paths", self.paths, kOptional, kTreePathRule, kUnique))

struct ProofLimits {
  int seconds = 300;      ///< of each command
  int memory_mib = 2048;  ///< address space of each process
};
FIELDS(ProofLimits, ("seconds", self.seconds, kOptional, Range{1, 600}, "of each command"),
       ("memory_mib", self.memory_mib, kOptional, Range{16, 16384}, "address space of each process"))

struct Proof {
  std::string id;                                  ///< unique in its patchset
  std::string claim;                               ///< what is shown, one line
  VersionRange releases;                           ///< for which it is made
  std::vector<std::string> tools;                  ///< programs that must be there
  std::vector<ProofPart> tree;                     ///< empty: what the patches touch is enough
  std::vector<std::vector<std::string>> commands;  ///< argv arrays with the placeholders {tree}, {proof} and {work}
  std::string red;  ///< text that the failing run prints: it fails for this reason and no other
  ProofLimits limits;
};
FIELDS(Proof, ("id", self.id, kIdRule, "unique in its patchset"), ("claim", self.claim, kLineRule), releases,
       ("tools", self.tools, kNameRule, kNotEmpty, kUnique, "programs that it needs"),
       ("tree", self.tree, kOptional, "what it reads; absent: what the patches touch"),
       ("commands", self.commands, kLineRule, kNotEmpty,
        "argv arrays with the placeholders {tree}, {proof} and {work}"),
       ("red", self.red, kLineRule, "text that the failing run prints"), ("limits", self.limits, kOptional))
/// Reports placeholders that do not exist, and programs that are not among the tools.
void check_fields(ObjectReader& object, const Proof& proof);

/// Releases for which there is no proof, and why.
struct Unproven {
  VersionRange releases;
  std::string why;
};
FIELDS(Unproven, releases, ("why", self.why, kLineRule))

enum class ProofVerdict { proven, not_red, not_green, no_tool };
template <>
inline constexpr auto kNamesOf<ProofVerdict> = std::to_array<Named<ProofVerdict>>({{ProofVerdict::proven, "proven"},
                                                                                   {ProofVerdict::not_red, "not_red"},
                                                                                   {ProofVerdict::not_green,
                                                                                    "not_green"},
                                                                                   {ProofVerdict::no_tool, "no_tool"}});
/// Returns "proven", "not_red", "not_green" or "no_tool".
inline const char* verdict_name(ProofVerdict verdict) { return name_of(verdict); }
inline std::optional<ProofVerdict> parse_verdict(const std::string& name) { return parse_name<ProofVerdict>(name); }

/// What `prove --record` wrote down (patchsets/<id>/proofs/<release>.json).
struct ProofRecord {
  std::string proof;
  Version release;
  std::string variant;
  Sha256 subject;  ///< proof_subject() of what was run
  int before_exit = 0;
  int after_exit = 0;
  ProofVerdict verdict = ProofVerdict::proven;
  std::map<std::string, std::string> tools;  ///< tool → its version, in its own words
  std::string date;                          ///< since when the outcome is this one: 2026-11-21
  bool operator==(const ProofRecord&) const = default;
};
FIELDS(ProofRecord, ("proof", self.proof, kIdRule), ("variant", self.variant, kNameRule), subject,
       ("before_exit", self.before_exit, Range{0, 255}), ("after_exit", self.after_exit, Range{0, 255}), verdict,
       ("tools", self.tools, kOptional, "tool: its version"), ("date", self.date, kDateRule, "since when"))
/// Reports a verdict that does not follow from the exit codes.
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
  std::map<std::string, std::string> files;  ///< of proof/, which {proof} is a copy of: relative path → bytes
  std::vector<ProofRecord> records;          ///< sorted by (release, proof)
};
/// proof.json
FIELDS(ProofSet, ("schema", SchemaVersion{}), ("patchset", self.patchset, kIdRule), ("proofs", self.proofs, kOptional),
       ("unproven", self.unproven, kOptional))
/// Reports proofs of one id, and a file without proof and reason.
void check_fields(ObjectReader& object, const ProofSet& set);

/// Returns a digest of everything that decides a proof's outcome but the tools: the pins, the patches and added files
/// of the variant, the proof and its files. A record with another one is out of date.
Sha256 proof_subject(const Release& release, const Variant& variant, const Proof& proof, const ProofSet& set);

}  // namespace torchpatch
