// SPDX-License-Identifier: BSD-3-Clause
/// A toy "pytorch" in real git repositories, and a catalog for it.
///
///   torch   setup.py  tools/run.sh (executable)  tools/latest -> run.sh  empty  no_newline  include/limits.h
///           third_party/onnx            (submodule)
///           third_party/onnx/deep/six   (submodule of the submodule, relative URL)
///   vision  setup.py
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/catalog.h"
#include "support/file.h"

namespace torchpatch::test {

/// Runs git hermetically in `directory`; fails the test where git fails. Returns its standard output without the final
/// newline.
std::string git(const std::string& directory, const std::vector<std::string>& arguments);

class ToyUpstream {
 public:
  ToyUpstream();

  /// Folder with all repositories.
  std::string mirror() const { return temp_.path() + "/mirror"; }
  /// Catalog directory: release 1.1.0, boards "small" (registers_per_block 32768) and "plain" (no GPU), issue
  /// "block-limit" with patchset "block-limit" (two patches, one file of both), issue "quiet" (environment), not yet
  /// certified.
  std::string catalog_directory() const { return temp_.path() + "/catalog"; }
  std::string scratch() const { return temp_.path(); }
  Catalog load() const;
  /// Certifies the patches and records the results in the catalog directory.
  void certify() const;

  /// Adds the issue "new-onnx", of every board, with patchset "new-onnx": third_party/onnx is taken at another commit,
  /// whose deep/six is another one too, and a patch changes six.py there. To be called before certify().
  SubmoduleOverride add_override() const;

  const std::string& torch_commit() const { return torch_commit_; }

 private:
  void make_repositories();
  void make_catalog();

  TempDir temp_;
  std::string torch_commit_;
  std::string vision_commit_;
};

}  // namespace torchpatch::test
