// SPDX-License-Identifier: BSD-3-Clause
/// How other formats name what the manifest has (internal).
#pragma once

#include <string>

#include "model/manifest.h"

namespace torchpatch::emit {

/// Returns the name of what was prepared: "pytorch-1.1.0-tx2".
std::string tree_name(const Manifest& manifest);
/// Returns whether patches or added files make it another tree than the pinned commit's.
bool is_changed(const ManifestRepository& repository);
/// Returns the version that upstream gives a component, of a submodule its commit.
std::string version_of(const Manifest& manifest, const ManifestRepository& repository);

/// The last two parts of a repository's URL, without ".git"; the owner may be empty.
struct RepositoryName {
  std::string owner, name;
};
RepositoryName repository_name(const std::string& url);

/// Returns the package URL: pkg:github/<owner>/<name>@<commit> in lower case as its type demands, else
/// pkg:generic/<name>@<commit>?vcs_url=…  (https://github.com/package-url/purl-spec)
std::string package_url(const std::string& url, const ObjectId& commit);
/// Returns "git+https://…@<commit>" (SPDX 2.3 §7.7, SLSA ResourceDescriptor).
std::string source_location(const std::string& url, const ObjectId& commit);

/// Returns a SWHID (ISO/IEC 18670): `type` is "dir", "rev" or "cnt".
std::string swhid(const char* type, const ObjectId& id);
/// Returns a gitoid (https://www.iana.org/assignments/uri-schemes/prov/gitoid): `type` is "tree", "commit" or "blob".
std::string gitoid(const char* type, const ObjectId& id);

/// Returns the UUID, version 5 (RFC 9562 §5.5), that belongs to a manifest.
std::string document_uuid(const Sha256& manifest_digest);
/// Returns "2019-04-30T20:25:07Z".
std::string utc_time(std::int64_t seconds);

}  // namespace torchpatch::emit
