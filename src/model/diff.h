// SPDX-License-Identifier: BSD-3-Clause
/// What two prepared trees, manifests or plans do not have in common, and what explains it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/object_id.h"

namespace torchpatch {

/// What was compared.
struct DiffSide {
  std::string name;  ///< as the user wrote it
  std::string kind;  ///< "tree", "manifest" or "plan"
  std::string release, board, image;
  bool is_genuine = true;
  Sha256 plan;                   ///< its digest
  std::optional<ObjectId> tree;  ///< absent: of a plan nobody knows it
};

/// In the order of the report.
enum class DiffLevel {
  request,       ///< release, board, image, options and what follows from them
  catalog,       ///< an entry of the catalog, by its digest
  pin,           ///< the commit of a repository, or whether it is there
  replacement,   ///< an override: a submodule taken at another commit
  patch,         ///< a patch, or the order of patches
  added_file,    ///< a file that a fix adds
  patched_file,  ///< a file that patches change, by its blobs before and after
  setting,       ///< a variable of the build
  tool_bound,    ///< which versions of a build tool the release takes
  issue,         ///< what became of a known issue
  warning,       ///< a warning of the plan
  manifest,      ///< what else the manifests say
  file,          ///< what lies on disk
};

/// Files on disk that one entry stands for.
struct DiffCounts {
  std::uint64_t changed = 0, only_in_a = 0, only_in_b = 0;
};

/// One thing that differs.
struct DiffEntry {
  DiffLevel level = DiffLevel::request;
  std::string subject;  ///< "board", "torch:third_party/onnx", "QUIET", "pytorch/setup.py"
  /// "only_in_a", "only_in_b", "changed", "order"; of files also "mode", "link", "type", "unreadable" and, where a
  /// tree is not what its own manifest says, verify's reasons.
  std::string change;
  std::string a, b;                      ///< what each side has; empty = nothing, or not known
  std::vector<std::string> issues{};     ///< that explain it
  std::vector<std::string> patchsets{};  ///< "cuda-threads T2": through which they do
  std::string because{};                 ///< in words; empty = nothing explains it
  /// Of a directory whose files differ for one reason; absent = the entry is about one thing.
  std::optional<DiffCounts> counts{};
};

struct DiffReport {
  DiffSide a, b;
  std::vector<DiffEntry> entries;  ///< what nothing explains first, else by level
  std::vector<std::string> notes;  ///< what could not be compared
};

}  // namespace torchpatch
