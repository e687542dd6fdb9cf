// SPDX-License-Identifier: BSD-3-Clause
/// What prove found, and what the records say of a patchset's proofs today.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/proof.h"
#include "support/json_fields.h"

namespace torchpatch {

/// One side of a proof.
struct ProofSide {
  int exit = 0;        ///< of the first command that failed, or 0
  std::string output;  ///< the end of what it printed; paths as {tree}, {proof} and {work}
};

struct ProofOutcome {
  std::string patchset;
  std::string proof;
  Version release;
  std::string variant;
  Sha256 subject;
  ProofVerdict verdict = ProofVerdict::proven;
  ProofSide before, after;  ///< not run where there is no tool
  std::vector<std::string> missing_tools;
  std::map<std::string, std::string> tools;  ///< tool → its version, in its own words

  /// Returns the exit code of a side; nothing if no side was run.
  std::optional<int> exit_of(const ProofSide& side) const {
    return verdict == ProofVerdict::no_tool ? std::nullopt : std::optional(side.exit);
  }
};
FIELDS(ProofOutcome, ("patch", self.patchset), proof, release, variant, subject,
       ("before_exit", derived([&] { return self.exit_of(self.before); })),
       ("after_exit", derived([&] { return self.exit_of(self.after); })), verdict, missing_tools, tools,
       ("before_output", self.before.output), ("after_output", self.after.output))

/// A patchset and release without a proof, or a release that could not be read.
struct NotProven {
  std::string patchset;  ///< empty: all of the release
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
  const ProofRecord* record = nullptr;  ///< null: it has not been recorded
  bool is_current = false;              ///< the record is of these pins, patches and commands
};

/// Returns the variant that is made for a release, whether it is certified there or not, or null.
const Variant* variant_made_for(const Patchset& patchset, const Version& release);

/// Returns the states of all proofs of a patchset at the releases that a variant and the proof are made for.
std::vector<ProofState> proof_states(const Patchset& patchset, const Catalog& catalog);

/// Returns "proven", "not_red", "not_green", "outdated" or "not recorded".
std::string state_name(const ProofState& state);

/// Returns how many releases of the catalog a variant is made for, and at how many of them every proof is proven (and
/// there is one): "proven at 20 of 21 releases".
std::string coverage_text(const Patchset& patchset, const Catalog& catalog);

}  // namespace torchpatch
