// SPDX-License-Identifier: BSD-3-Clause
/// Patchset: the patches of one fix, in variants, with their certificates (patchsets/<id>/).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/path_rule.h"
#include "model/proof.h"
#include "model/release.h"
#include "model/repository_path.h"
#include "model/version.h"
#include "support/digest.h"
#include "support/json_fields.h"

namespace torchpatch {

extern const TextRule kPatchPathRule;  ///< relative, ends in .patch
extern const TextRule kAddedPathRule;  ///< relative, below files/

/// One patch file of a variant.
struct Patch {
  std::string file;           ///< relative to the patchset: "T2/0001-cap-threads.patch"
  Sha256 sha256;              ///< of the file; checked when the catalog is loaded
  RepositoryPath repository;  ///< its paths are relative to that root
  std::string text;           ///< the file's bytes
};
FIELDS(Patch, ("file", self.file, kPatchPathRule), sha256, repository)

/// A file added by a fix (FixKind::files), from patchsets/<id>/files/.
struct AddedFile {
  std::string file;  ///< relative to the patchset
  RepositoryPath repository;
  std::string path;  ///< destination in the repository
  bool is_executable = false;
  Sha256 sha256;
  std::string bytes;

  FileMode mode() const { return is_executable ? FileMode::executable : FileMode::regular; }
};
FIELDS(AddedFile, ("file", self.file, kAddedPathRule), repository,
       ("path", self.path, kOutputPathRule, "where it goes"), ("executable", self.is_executable, kOptional), sha256)

/// A version of the patches for certain pinned commits.
struct Variant {
  std::string id;         ///< "T2"
  VersionRange releases;  ///< that it was made for; certificates decide
  std::vector<Patch> patches;
  std::vector<AddedFile> files;
  /// Submodules to take at another commit. Only their own `replaces` certifies them, so a variant that has any is used
  /// for its `releases` only.
  std::vector<SubmoduleOverride> overrides{};
  /// Why there is no later variant although issues that it fixes continue; or empty.
  std::string ends{};
};
FIELDS(Variant, ("id", self.id, kNameRule), ("releases", self.releases, "that it was made for; certificates decide"),
       ("ends", self.ends, kOptional, kNullIfNothing, kLineRule, "why no variant follows, if its issues continue"),
       ("patches", self.patches, kOptional), ("files", self.files, kOptional), ("overrides", self.overrides, kOptional))
/// Reports duplicate patches and overrides, an override of a component, and an empty variant.
void check_fields(ObjectReader& object, const Variant& variant);

/// The effect of one patch on one path, as blob ids (for a gitlink, commit ids).
struct PatchEdge {
  std::string path;
  std::optional<ObjectId> before;  ///< absent: the file did not exist
  std::optional<ObjectId> after;   ///< absent: the file is removed
  bool operator==(const PatchEdge&) const = default;
};
FIELDS(PatchEdge, path, before, after)

/// A certified step for one path: the blob before a patch → the blob after it, in the tree of one pinned commit or
/// override.
struct CertificateEdge {
  ObjectId commit;  ///< of the component
  RepositoryPath repository;
  std::string path;  ///< in the repository
  Sha256 patch;      ///< sha256 of the patch file
  /// The patch that made `before`, if several patches change this file; absent if `before` is pinned content.
  std::optional<Sha256> follows;
  std::optional<ObjectId> before;  ///< absent: the patch creates the path
  std::optional<ObjectId> after;   ///< absent: the patch deletes it
  /// Commit of the override that determines the repository's content (find_override); absent: only the pins do.
  std::optional<ObjectId> overridden{};
};
FIELDS(CertificateEdge, commit, repository, ("override", self.overridden, kOptional),
       ("path", self.path, kOutputPathRule), patch,
       ("follows", self.follows, kOptional, "the patch that made `before`; absent: it is pinned content"),
       ("before", self.before, "blob; null: the patch creates the path"),
       ("after", self.after, "blob; null: the patch deletes the path"))
/// Reports an edge with neither side.
void check_fields(ObjectReader& object, const CertificateEdge& edge);

/// patchsets/<id>/certificates/<release>.json
struct CertificateFile {
  std::string patchset;
  std::string release;
  std::vector<CertificateEdge> edges;
};
FIELDS(CertificateFile, ("schema", SchemaVersion{}), ("patchset", self.patchset, kIdRule),
       ("release", self.release, kIdRule), ("edges", self.edges, kNotEmpty))

struct Patchset {
  std::string id;
  std::string summary;
  std::vector<std::string> after;  ///< patchsets that come before this one if both apply
  std::vector<Variant> variants;
  std::vector<CertificateEdge> certificates;  ///< of all files and layers
  ProofSet proof;
  std::optional<Sha256> replaces{};
};
FIELDS(Patchset, ("schema", SchemaVersion{}),
       ("replaces", self.replaces, kOptional, "SHA-256 of the file of a lower layer that this one replaces"),
       ("id", self.id, kIdRule, "equals the folder's name"), ("summary", self.summary, kLineRule),
       ("after", self.after, kOptional, kKeptIfEmpty, kIdRule, kUnique,
        "patchsets that come before this one if both apply"),
       ("variants", self.variants, kNotEmpty), ("certificates", derived([&] { return self.certificates; })),
       ("proofs", derived([&] { return self.proof.proofs; })),
       ("unproven", derived([&] { return self.proof.unproven; })))

}  // namespace torchpatch
