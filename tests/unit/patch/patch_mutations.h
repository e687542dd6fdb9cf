// SPDX-License-Identifier: BSD-3-Clause
/// Ways to damage a patch, or the tree it is for.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "unit/patch/git_oracle.h"

namespace torchpatch::patch {

/// What is asked of the engine for a mutated patch.
enum class Agreement {
  same,    ///< git's verdict and tree
  strict,  ///< git's tree, or a refusal
};

struct Mutation {
  std::string name;
  std::string patch;
  Agreement agreement = Agreement::same;
};

/// Returns each way to damage `patch` once, at places that `random` chooses.
std::vector<Mutation> mutate_patch(const std::string& patch, std::mt19937& random);

struct Drift {
  std::string name;
  Tree tree;
};

/// Returns trees whose text files have drifted away from `tree`'s.
std::vector<Drift> drift_tree(const Tree& tree, std::mt19937& random);

}  // namespace torchpatch::patch
