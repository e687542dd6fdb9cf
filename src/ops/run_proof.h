// SPDX-License-Identifier: BSD-3-Clause
/// Runs the commands of proofs: no shell, a fixed environment, limits.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emit/run/prove_report.h"
#include "model/proof.h"

namespace torchpatch::ops {

/// One side of a proof, in a directory that holds tree/, proof/ and work/.
struct SideRun {
  const Proof* proof = nullptr;
  std::string directory;
};

/// Runs the commands of each side up to the first that fails, at most `jobs` programs at a time, in the side's work/.
/// Results in the order of `sides`. Raises environment where no process can be started.
std::vector<emit::ProofSide> run_sides(const std::vector<SideRun>& sides, int jobs);

/// Returns what the two sides say of a proof.
ProofVerdict judge(const Proof& proof, const emit::ProofSide& before, const emit::ProofSide& after);

/// Finds tools in the PATH that proofs are run with, /usr/local/bin:/usr/bin:/bin, and asks each once for its version.
class ToolBox {
 public:
  bool has(const std::string& tool) const;
  /// Returns the first line of `tool --version`, or empty text where it prints none.
  const std::string& version(const std::string& tool);

 private:
  std::map<std::string, std::string> versions_;
};

}  // namespace torchpatch::ops
