// SPDX-License-Identifier: BSD-3-Clause
/// Where the sides of proofs are written and run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops/proof_jobs.h"
#include "support/file.h"
#include "tree/write_files.h"

namespace torchpatch::ops {

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

}  // namespace torchpatch::ops
