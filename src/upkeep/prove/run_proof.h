// SPDX-License-Identifier: BSD-3-Clause
/// Where the sides of proofs are written and run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/proof.h"
#include "model/prove.h"
#include "support/file.h"
#include "tree/write_files.h"
#include "upkeep/prove/proof_tree.h"

namespace torchpatch::upkeep {

/// A directory of the user's, or one that is removed at the end.
class ProofWorkshop {
 public:
  /// `keep`: a directory that is empty or not there, or empty text. Raises usage where it is in use.
  ProofWorkshop(const std::string& keep, int jobs);

  /// Returns the directory of one side ("before" or "after").
  std::string place(const ProofJob& job, const char* side) const;
  /// Writes tree/, proof/ and an empty work/ there.
  void write(const ProofJob& job, const char* side, const std::vector<tree::FileToWrite>& files) const;
  /// Removes a side that has been run, unless it is to be kept.
  void clear(const ProofJob& job, const char* side) const;

 private:
  std::unique_ptr<TempDir> temporary_;
  std::string path_;
  int jobs_;
};

// Runs the commands of proofs: no shell, a fixed environment, limits.

/// One side of a proof, in a directory that holds tree/, proof/ and work/.
struct SideRun {
  const Proof* proof = nullptr;
  std::string directory;
};

/// Runs the commands of each side up to the first that fails, at most `jobs` programs at a time, in the side's work/.
/// Results in the order of `sides`. Raises environment where no process can be started.
std::vector<ProofSide> run_sides(const std::vector<SideRun>& sides, int jobs);

/// Returns what the two sides say of a proof.
ProofVerdict judge(const Proof& proof, const ProofSide& before, const ProofSide& after);

/// Finds tools in the PATH that proofs are run with, /usr/local/bin:/usr/bin:/bin, and asks each once for its version.
class ToolBox {
 public:
  bool has(const std::string& tool) const;
  /// Returns the first line of `tool --version`, or empty text where it prints none.
  const std::string& version(const std::string& tool);

 private:
  std::map<std::string, std::string> versions_;
};

}  // namespace torchpatch::upkeep
