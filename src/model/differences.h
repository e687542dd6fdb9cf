// SPDX-License-Identifier: BSD-3-Clause
/// Differences: between a prepared tree and its manifest (verify), and between two trees, manifests or plans (diff),
/// with their causes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "support/digest.h"
#include "support/fields.h"
#include "support/find.h"
#include "support/json_fields.h"

namespace torchpatch {

/// One difference that verify found.
struct Difference {
  std::string path;  ///< relative to OUT; or a repository; or empty for the whole tree
  /// changed, missing, extra, mode, link, type, unreadable, manifest, sums, base-tree, commit, patch, licence,
  /// companion, unvouched, option, patch-not-in-catalog, override-not-in-catalog, pin-not-in-catalog, result,
  /// expected-id, signature
  std::string reason;
  std::string detail;
  std::string follows{};  ///< path of the difference that causes this one, or empty: a changed file changes tree ids
};
FIELDS(Difference, path, reason, detail, ("first", derived([&] { return self.follows.empty(); })))
/// Returns whether it is about a path on disk; others are about a repository or a record.
inline bool is_about_path(const Difference& difference) {
  static const std::set<std::string> kReasons = {"changed", "missing", "extra", "mode", "link", "type", "unreadable"};
  return kReasons.contains(difference.reason);
}
/// A valid signature of the manifest.
struct GoodSignature {
  std::string file;    ///< relative to OUT
  std::string signer;  ///< principal, or the file of the public key
  std::string key;     ///< "ED25519 key SHA256:…"
};
FIELDS(GoodSignature, file, signer, key)
struct VerifyReport {
  std::string root;
  Manifest manifest;
  std::vector<Difference> differences;       ///< sorted by path
  std::vector<std::string> notes;            ///< such as "not PyTorch: …"
  std::vector<std::string> added_by_build;   ///< with --after-build
  std::optional<GoodSignature> signature{};  ///< with --signature, if there is no difference about it
  std::vector<std::string> options{};        ///< non-default options of prepare: chosen_options()
  std::uint64_t files = 0, links = 0, bytes = 0;
  std::map<std::string, std::string> layers{};  ///< layer → directory, for the catalog layers that were named
};
FIELDS(VerifyReport, ("schema", SchemaVersion{}), ("ok", derived([&] { return self.differences.empty(); })), root,
       ("release", self.manifest.release), ("genuine", derived([&] { return !self.manifest.stand_in; })),
       ("partial", derived([&] { return is_partial(self.manifest); })), ("board", self.manifest.board),
       ("image", self.manifest.image), ("plan", self.manifest.plan), ("tree", self.manifest.tree),
       ("counts", group([&](auto& g) {
          g("repositories", self.manifest.repositories.size());
          g("patches", self.manifest.patches.size());
          g("files", self.files);
          g("links", self.links);
          g("bytes", self.bytes);
          g("missing", missing_paths(self.manifest).size());
          g("differences", self.differences.size());
        })),
       differences, ("missing", derived([&] { return missing_paths(self.manifest); })), added_by_build, signature,
       options, notes)

// diff.

/// What was compared.
struct DiffSide {
  std::string name;  ///< as the user wrote it
  std::string kind;  ///< "tree", "manifest" or "plan"
  std::string release, board, image;
  bool is_genuine = true;
  Sha256 plan;                   ///< its digest
  std::optional<ObjectId> tree;  ///< absent: unknown, as for most plans
};
FIELDS(DiffSide, name, kind, release, ("genuine", self.is_genuine), board, image, plan, tree)

/// In report order.
enum class DiffLevel {
  request,       ///< release, board, image, options and what follows from them
  catalog,       ///< an entry of the catalog, by its digest
  pin,           ///< the commit of a repository, or its presence
  replacement,   ///< an override: a submodule at another commit
  patch,         ///< a patch, or the order of patches
  added_file,    ///< a file that a fix adds
  patched_file,  ///< a file that patches change, by its blobs before and after
  setting,       ///< a variable of the build
  tool_bound,    ///< a release's version range for a build tool
  issue,         ///< the decision on a known issue
  warning,       ///< a warning of the plan
  manifest,      ///< other differences of the manifests
  file,          ///< files on disk
};
NAMES(DiffLevel, request, catalog, pin, (replacement, "override"), patch, added_file, patched_file, setting, tool_bound,
      issue, warning, manifest, file)

/// Number of files on disk that one entry covers.
struct DiffCounts {
  std::uint64_t changed = 0, only_in_a = 0, only_in_b = 0;
};
FIELDS(DiffCounts, changed, only_in_a, only_in_b)

struct DiffEntry {
  DiffLevel level = DiffLevel::request;
  std::string subject;  ///< "board", "torch:third_party/onnx", "QUIET", "pytorch/setup.py"
  /// "only_in_a", "only_in_b", "changed", "order"; for files also "mode", "link", "type", "unreadable" and, if a tree
  /// does not match its own manifest, verify's reasons.
  std::string change;
  std::string a, b;                      ///< each side's value; empty = none, or unknown
  std::vector<std::string> issues{};     ///< that explain it
  std::vector<std::string> patchsets{};  ///< "cuda-threads T2": by which those issues do
  std::string because{};                 ///< the explanation; empty = unexplained
  /// For a directory whose files differ for one reason; absent = the entry is about one item.
  std::optional<DiffCounts> counts{};
};
FIELDS(DiffEntry, level, subject, change, ("a", self.a, kNullIfNothing), ("b", self.b, kNullIfNothing),
       ("files", self.counts, kOptional), issues, patchsets, ("because", self.because, kNullIfNothing))

struct DiffReport {
  DiffSide a, b;
  std::vector<DiffEntry> entries;  ///< unexplained first, then by level
  std::vector<std::string> notes;  ///< what could not be compared
};
/// Returns the number of unexplained entries; they come first.
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
