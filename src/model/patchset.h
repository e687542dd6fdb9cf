// SPDX-License-Identifier: BSD-3-Clause
/// Patchsets: the patches of one fix, in variants, with their certificates. Data: patchsets/<id>/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/path_rule.h"
#include "model/proof.h"
#include "model/release.h"
#include "model/repository_path.h"
#include "model/version.h"
#include "support/object_id.h"

namespace torchpatch {

/// One patch file of a variant.
struct Patch {
  std::string file;           ///< relative to the patchset: "T2/0001-cap-threads.patch"
  Sha256 sha256;              ///< of the file's bytes; checked when the catalog is loaded
  RepositoryPath repository;  ///< whose root its paths are relative to
  std::string text;           ///< the file's bytes
};

/// A file that a fix adds (FixKind::files), from patchsets/<id>/files/.
struct AddedFile {
  std::string file;  ///< relative to the patchset
  RepositoryPath repository;
  std::string path;  ///< where it goes in the repository
  bool is_executable = false;
  Sha256 sha256;
  std::string bytes;

  FileMode mode() const { return is_executable ? FileMode::executable : FileMode::regular; }
};

/// Fits the contents of certain pinned commits.
struct Variant {
  std::string id;         ///< "T2"
  VersionRange releases;  ///< for those it was made; certificates decide
  std::vector<Patch> patches;
  std::vector<AddedFile> files;
  /// Submodules that it takes at another commit. Nothing certifies those but their own `replaces`, so a variant that
  /// has some is used for its `releases` alone.
  std::vector<SubmoduleOverride> overrides{};
  /// Why no variant follows, where issues that it answers go on; or empty.
  std::string ends{};
};

/// A certified step for one path: the blob before a patch → the blob after it, in the tree of one pinned commit, or of
/// one override.
struct CertificateEdge {
  ObjectId commit;  ///< of the component
  RepositoryPath repository;
  std::string path;  ///< in the repository
  Sha256 patch;      ///< sha256 of the patch file
  /// The patch that made `before` where patches meet in this file; absent where `before` is the pinned content.
  std::optional<Sha256> follows;
  std::optional<ObjectId> before;  ///< absent: the patch creates the path
  std::optional<ObjectId> after;   ///< absent: the patch deletes it
  /// Commit of the override that decides the repository's content (find_override); absent: the pins alone do.
  std::optional<ObjectId> overridden{};
};

struct Patchset {
  std::string id;
  std::string summary;
  std::vector<std::string> after;  ///< patchsets that come before this one where both apply
  std::vector<Variant> variants;
  std::vector<CertificateEdge> certificates;  ///< of all files and layers
  ProofSet proof;
};

}  // namespace torchpatch
