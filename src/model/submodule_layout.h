// SPDX-License-Identifier: BSD-3-Clause
/// Where the repositories of a closure lie in OUT, and which lies in which.
#pragma once

#include <string>
#include <vector>

#include "model/repository_path.h"

namespace torchpatch {

/// Returns the directory of a repository in OUT: "pytorch" or "pytorch/third_party/onnx".
std::string repository_directory(const RepositoryPath& path);

/// A submodule of a repository: its path there, and its index in the list that was asked about.
struct SubmodulePlace {
  std::string path;
  int index = 0;
};

/// Returns, for each of `repositories`, the submodules that lie directly in it: those whose deepest enclosing
/// repository it is.
std::vector<std::vector<SubmodulePlace>> place_submodules(const std::vector<RepositoryPath>& repositories);

}  // namespace torchpatch
