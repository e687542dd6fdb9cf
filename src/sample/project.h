// SPDX-License-Identifier: BSD-3-Clause
/// The repositories that stand in for those of a release, as values.
///
///   torch                                   files that patches expect, and one of each kind that a tree can hold
///     third_party/onnx
///       third_party/pybind11                the same repository and commit as below
///         tools/clang                       relative URL; three levels deep
///     third_party/protobuf                  URL that has moved
///       third_party/googletest
///     third_party/pybind11
///       tools/clang
///   vision, audio
///
/// A patch that is rooted in another repository path adds a repository there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "sample/file_draft.h"

namespace torchpatch::sample {

struct SubmoduleDraft {
  std::string path;
  std::string url;      ///< as .gitmodules records it
  std::string project;  ///< key in Projects
};

/// One repository at one commit.
struct Project {
  std::string title;      ///< whose place it takes: "torch 1.1.0", "onnx"
  std::string tag;        ///< of a component, else empty
  std::int64_t time = 0;  ///< of its commit, seconds since 1970
  FileDrafts files;       ///< without .gitmodules
  std::vector<SubmoduleDraft> submodules;
};

/// By name: "torch", "vision", "audio" are the components, the others their submodules.
using Projects = std::map<std::string, Project>;

/// Returns the repositories for `release`: files for every patch of every variant of `catalog` that is made for this
/// release, and a line for every place where the release says that a variable is read. Only patchsets and the release's
/// version, tags and flags are looked at. Empty where no variant is made for it. Raises data as expect_patch.
Projects make_projects(const Catalog& catalog, const Release& release);

}  // namespace torchpatch::sample
