// SPDX-License-Identifier: BSD-3-Clause
/// Asks the git program what a patch makes of a tree.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "patch/apply.h"
#include "support/file.h"
#include "support/program.h"

namespace torchpatch::patch {

using Tree = std::map<std::string, TreeFile>;
/// Path → mode text and object id.
using Listing = std::map<std::string, std::pair<std::string, std::string>>;

/// Returns the listing of a tree in memory.
Listing listing_of(const Tree& tree);

class GitOracle {
 public:
  GitOracle();

  /// Returns the patch from one tree to the other, as `git diff-tree` writes it with these options.
  std::string diff(const Tree& before, const Tree& after, const std::vector<std::string>& options = {});

  struct Verdict {
    bool accepts = false;
    bool moved = false;  ///< some hunk was not at its line
    Listing listing;
    std::string message;
  };
  /// Applies `patch` with `git apply --cached`.
  Verdict apply(const Tree& before, const std::string& patch);

 private:
  ProgramResult run(const std::vector<std::string>& arguments, const std::string& index);
  std::string run_well(const std::vector<std::string>& arguments, const std::string& index);
  /// Returns the index file that holds `tree`, made when it is first asked for.
  std::string index_of(const Tree& tree);

  TempDir temp_;
  std::map<Listing, std::string> indexes_;
};

}  // namespace torchpatch::patch
