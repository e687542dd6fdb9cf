// SPDX-License-Identifier: BSD-3-Clause
/// The manifest's companions in OUT/torchpatch/: its contents as SPDX, CycloneDX, SLSA and OpenVEX (companions()). Pure
/// functions of the manifest and its side files: every time in them is the newest pinned commit's, every document id
/// derives from the manifest's digest.
#pragma once

#include <string>
#include <vector>

#include "model/manifest.h"
#include "record/tree_scripts.h"

namespace torchpatch::record {

/// The copy of a patch, with data from its header.
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

/// Returns openvex.json: OpenVEX 0.2.0 (https://github.com/openvex/spec/blob/v0.2.0/OPENVEX-SPEC.md). Its times are
/// those of the advisories' sources.
std::string openvex_document(const CompanionInput& input);

/// Returns all four, by name.
std::vector<GeneratedFile> companions(const CompanionInput& input);
/// Returns their names, in order.
const std::vector<std::string>& companion_names();

// The manifest's data in terms of other formats.

/// Returns the name of a prepared tree: "pytorch-1.1.0-tx2".
std::string tree_name(const Manifest& manifest);
/// Returns whether patches or added files change its tree from the pinned commit's.
bool is_changed(const ManifestRepository& repository);
/// Returns upstream's version of a component, or a submodule's commit.
std::string version_of(const Manifest& manifest, const ManifestRepository& repository);

/// Returns the repository with the vulnerable code: for a submodule that is not in the tree, its component.
const ManifestRepository& repository_of(const Manifest& manifest, const AdvisoryDecision& advisory);
/// Returns the page of an advisory id at NVD, GitHub or OSV.
std::string advisory_url(const std::string& id);
/// Returns the source that shows upstream's fix, or empty text.
std::string fix_url(const AdvisoryRecord& about);
/// Returns what users can do: the advice, and the release with the fix.
std::string action_text(const AdvisoryRecord& about);

/// Returns "taken at this commit instead of …, for …".
std::string override_text(const ManifestOverride& overridden);
/// Returns "LICENSE: MIT", or "LICENSE: not recognised".
std::string licence_text(const LicenceFile& file);

/// The last two parts of a repository's URL, without ".git"; the owner may be empty.
struct RepositoryName {
  std::string owner, name;
};
RepositoryName repository_name(const std::string& url);

/// Returns the package URL (https://github.com/package-url/purl-spec): pkg:github/<owner>/<name>@<commit>, in lower
/// case as its type requires, else pkg:generic/<name>@<commit>?vcs_url=…; for a pin by content
/// pkg:generic/<name>?checksum=sha256:…
std::string package_url(const ManifestRepository& repository);
/// Returns "git+https://…@<commit>" (SPDX 2.3 §7.7, SLSA ResourceDescriptor).
std::string source_location(const ManifestRepository& repository);

/// Returns a SWHID (ISO/IEC 18670): `type` is "dir", "rev" or "cnt".
std::string swhid(const char* type, const ObjectId& id);
/// Returns a gitoid (https://www.iana.org/assignments/uri-schemes/prov/gitoid): `type` is "tree", "commit" or "blob".
std::string gitoid(const char* type, const ObjectId& id);

/// Returns a manifest's UUID, version 5 (RFC 9562 §5.5).
std::string document_uuid(const Sha256& manifest_digest);
/// Returns "2019-04-30T20:25:07Z".
std::string utc_time(std::int64_t seconds);

}  // namespace torchpatch::record
