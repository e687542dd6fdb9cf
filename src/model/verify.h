// SPDX-License-Identifier: BSD-3-Clause
/// What verify found.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "support/find.h"
#include "support/json_fields.h"

namespace torchpatch {

/// One difference that verify found.
struct Difference {
  std::string path;  ///< relative to OUT; or a repository, or empty for the whole
  /// changed, missing, extra, mode, link, type, unreadable, manifest, sums, base-tree, commit, patch, licence,
  /// companion, unvouched, option, patch-not-in-catalog, override-not-in-catalog, pin-not-in-catalog, result,
  /// expected-id, signature
  std::string reason;
  std::string detail;
  std::string follows{};  ///< path of the difference that makes this one, or empty: a changed file makes other trees
};
FIELDS(Difference, path, reason, detail, ("first", derived([&] { return self.follows.empty(); })))
/// Returns whether it is about a path on disk; others are about a repository or the record.
inline bool is_about_path(const Difference& difference) {
  static const std::set<std::string> kReasons = {"changed", "missing", "extra", "mode", "link", "type", "unreadable"};
  return kReasons.contains(difference.reason);
}
/// A good signature of the manifest.
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
  std::optional<GoodSignature> signature{};  ///< with --signature, where there is no difference about it
  std::vector<std::string> options{};        ///< what whoever prepared it chose: chosen_options()
  std::uint64_t files = 0, links = 0, bytes = 0;
};
FIELDS(VerifyReport, ("schema", SchemaVersion{}), ("ok", derived([&] { return self.differences.empty(); })), root,
       ("release", self.manifest.release), ("genuine", derived([&] { return !self.manifest.stand_in; })),
       ("partial", derived([&] { return !self.manifest.gaps.empty(); })), ("board", self.manifest.board),
       ("image", self.manifest.image), ("plan", self.manifest.plan), ("tree", self.manifest.tree),
       ("counts", group([&](auto& g) {
          g("repositories", self.manifest.repositories.size());
          g("patches", self.manifest.patches.size());
          g("files", self.files);
          g("links", self.links);
          g("bytes", self.bytes);
          g("missing", self.manifest.gaps.size());
          g("differences", self.differences.size());
        })),
       differences, ("missing", derived([&] { return collect(self.manifest.gaps, &ManifestGap::out_path); })),
       added_by_build, signature, options, notes)

}  // namespace torchpatch
