// SPDX-License-Identifier: BSD-3-Clause
/// What two prepared trees, manifests or plans do not have in common, and what explains it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/digest.h"
#include "support/fields.h"
#include "support/json_fields.h"

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
FIELDS(DiffSide, name, kind, release, ("genuine", self.is_genuine), board, image, plan, tree)

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
template <>
inline constexpr auto kNamesOf<DiffLevel> = std::to_array<Named<DiffLevel>>({{DiffLevel::request, "request"},
                                                                             {DiffLevel::catalog, "catalog"},
                                                                             {DiffLevel::pin, "pin"},
                                                                             {DiffLevel::replacement, "override"},
                                                                             {DiffLevel::patch, "patch"},
                                                                             {DiffLevel::added_file, "added_file"},
                                                                             {DiffLevel::patched_file, "patched_file"},
                                                                             {DiffLevel::setting, "setting"},
                                                                             {DiffLevel::tool_bound, "tool_bound"},
                                                                             {DiffLevel::issue, "issue"},
                                                                             {DiffLevel::warning, "warning"},
                                                                             {DiffLevel::manifest, "manifest"},
                                                                             {DiffLevel::file, "file"}});

/// Files on disk that one entry stands for.
struct DiffCounts {
  std::uint64_t changed = 0, only_in_a = 0, only_in_b = 0;
};
FIELDS(DiffCounts, changed, only_in_a, only_in_b)

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
FIELDS(DiffEntry, level, subject, change, ("a", self.a, kNullIfNothing), ("b", self.b, kNullIfNothing),
       ("files", self.counts, kOptional), issues, patchsets, ("because", self.because, kNullIfNothing))

struct DiffReport {
  DiffSide a, b;
  std::vector<DiffEntry> entries;  ///< what nothing explains first, else by level
  std::vector<std::string> notes;  ///< what could not be compared
};
/// Returns how many entries nothing explains; they stand first.
inline std::size_t count_unexplained(const DiffReport& report) {
  return static_cast<std::size_t>(std::ranges::count_if(report.entries, &std::string::empty, &DiffEntry::because));
}
FIELDS(DiffReport, ("schema", SchemaVersion{}), ("equal", derived([&] { return self.entries.empty(); })), a, b,
       ("counts", group([&](auto& g) {
          g("differences", self.entries.size());
          g("unexplained", derived([&] { return count_unexplained(self); }));
        })),
       ("differences", self.entries), notes)

}  // namespace torchpatch
