// SPDX-License-Identifier: BSD-3-Clause
/// The manifest's companions in OUT/torchpatch/: what it says in the words of SPDX, CycloneDX and SLSA. Pure functions
/// of the manifest and of what lies beside it: every time in them is the newest pinned commit's, every id that names
/// the document derives from the manifest's digest.
#pragma once

#include <string>
#include <vector>

#include "model/manifest.h"

namespace torchpatch::emit {

/// The copy of a patch, and what its header says.
struct PatchCopy {
  std::string bytes;
  std::string origin;  ///< DEP-3 Origin: "backport, https://…"; may be empty
};

struct CompanionInput {
  const Manifest* manifest = nullptr;
  Sha256 manifest_digest;                ///< of the bytes of manifest.json
  std::vector<PatchCopy> patches;        ///< of manifest->patches, in order
  std::vector<std::string> added_files;  ///< bytes of manifest->added_files, in order
};

/// Returns sbom.spdx.json: SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/).
std::string spdx_document(const CompanionInput& input);
/// Returns sbom.cdx.json: CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).
std::string cyclonedx_document(const CompanionInput& input);
/// Returns provenance.intoto.json: an in-toto Statement v1 with SLSA provenance v1
/// (https://slsa.dev/spec/v1.0/provenance).
std::string provenance_document(const CompanionInput& input);

/// A file of torchpatch/ that derives from the manifest.
struct Companion {
  std::string name;
  std::string bytes;
};
/// Returns all three, by name.
std::vector<Companion> companions(const CompanionInput& input);
/// Their names, in order.
const std::vector<std::string>& companion_names();

}  // namespace torchpatch::emit
