// SPDX-License-Identifier: BSD-3-Clause
/// What prove found.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emit/run/reports.h"
#include "model/proof.h"

namespace torchpatch::emit {

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
};

/// A patchset and release without a proof, or a release that could not be read.
struct NotProven {
  std::string patchset;  ///< empty: all of the release
  std::string release;   ///< or a range
  std::string why;
};

struct ProveReport {
  std::vector<ProofOutcome> proofs;  ///< sorted by patchset, release, proof
  std::vector<NotProven> unproven;
};

/// JSON: {"schema":1, "proofs":[{patch, proof, release, variant, before_exit, after_exit, verdict, …}],
/// "unproven":[…]}.
std::string prove_report(const ProveReport& report, Format format);

}  // namespace torchpatch::emit
