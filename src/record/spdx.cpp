// SPDX-License-Identifier: BSD-3-Clause

#include "model/repository_path.h"
#include "record/sbom.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

const char* const kDocument = "SPDXRef-DOCUMENT";
const char* const kTree = "SPDXRef-Tree";
const char* const kNoAssertion = "NOASSERTION";

/// The repository as in OUT, and as upstream publishes it, if different.
std::string repository_id(std::size_t index) { return concat("SPDXRef-Repository-", index + 1); }
std::string upstream_id(std::size_t index) { return concat("SPDXRef-Upstream-", index + 1); }
std::string patch_id(std::size_t index) { return concat("SPDXRef-Patch-", index + 1); }
std::string added_file_id(std::size_t index) { return concat("SPDXRef-Added-", index + 1); }

Json external_ref(const char* category, const char* type, const std::string& locator) {
  return {{"referenceCategory", category}, {"referenceType", type}, {"referenceLocator", locator}};
}
Json purl_ref(const ManifestRepository& repository) {
  return external_ref("PACKAGE-MANAGER", "purl", package_url(repository));
}
Json swh_ref(const char* type, const ObjectId& id) { return external_ref("PERSISTENT-ID", "swh", swhid(type, id)); }
Json gitoid_ref(const char* type, const ObjectId& id) {
  return external_ref("PERSISTENT-ID", "gitoid", gitoid(type, id));
}

Json package(const std::string& id, const std::string& name, const std::string& version) {
  return {{"SPDXID", id},
          {"name", name},
          {"versionInfo", version},
          {"downloadLocation", kNoAssertion},
          {"filesAnalyzed", false},
          {"primaryPackagePurpose", "SOURCE"},
          {"licenseConcluded", kNoAssertion},
          {"licenseDeclared", kNoAssertion},
          {"copyrightText", kNoAssertion}};
}

void declare_licence(const ManifestRepository& repository, Json& package) {
  const std::string id = common_licence(repository.licences);
  if (!id.empty()) package["licenseDeclared"] = id;
  std::vector<std::string> found;
  for (const LicenceFile& file : repository.licences) found.push_back(licence_text(file));
  package["licenseComments"] = found.empty() ? "no licence file at the root of the repository" : join(found, "; ");
}

Json tree_package(const Manifest& manifest) {
  Json object = package(kTree, tree_name(manifest), manifest.release);
  object["comment"] = manifest.stand_in ? *manifest.stand_in
                                        : concat("prepared for ", manifest.board, " (", manifest.image, "), plan ",
                                                 manifest.plan.hex());
  object["externalRefs"] = Json::array({swh_ref("dir", manifest.tree), gitoid_ref("tree", manifest.tree)});
  return object;
}

Json upstream_package(const Manifest& manifest, const ManifestRepository& repository, const std::string& id) {
  Json object = package(id, repository.path.text(), version_of(manifest, repository));
  if (!repository.content) object["downloadLocation"] = source_location(repository);
  declare_licence(repository, object);
  if (repository.overridden) object["comment"] = override_text(*repository.overridden);
  if (repository.content) object["comment"] = repository.content->text();
  object["externalRefs"] = repository.content ? Json::array({purl_ref(repository), swh_ref("dir", repository.base_tree),
                                                             gitoid_ref("tree", repository.base_tree)})
                                              : Json::array({purl_ref(repository), swh_ref("rev", repository.commit),
                                                             gitoid_ref("commit", repository.commit)});
  return object;
}

Json changed_package(const Manifest& manifest, const ManifestRepository& repository, const std::string& id) {
  Json object = package(id, repository.path.text(), version_of(manifest, repository));
  object["sourceInfo"] = concat(repository.content ? repository.content->text() : "commit " + repository.commit.hex(),
                                " with patches or added files");
  declare_licence(repository, object);
  object["externalRefs"] = Json::array(
      {purl_ref(repository), swh_ref("dir", repository.patched_tree), gitoid_ref("tree", repository.patched_tree)});
  return object;
}

/// Adds the package's vulnerabilities, also those fixed by a patch (SPDX 2.3 §F.2).
void add_security_references(const Manifest& manifest, const ManifestRepository& repository, Json& package) {
  for (const AdvisoryDecision& advisory : manifest.advisories) {
    const bool is_told = advisory.status == AdvisoryStatus::affected || advisory.status == AdvisoryStatus::fixed;
    if (!is_told || &repository_of(manifest, advisory) != &repository) continue;
    Json reference = external_ref("SECURITY", "advisory", advisory_url(advisory.about.id));
    reference["comment"] = advisory.text();
    package["externalRefs"].push_back(reference);
    if (const std::string fix = fix_url(advisory.about); !fix.empty())
      package["externalRefs"].push_back(external_ref("SECURITY", "fix", fix));
  }
}

Json packages(const Manifest& manifest) {
  Json all = Json::array({tree_package(manifest)});
  for (std::size_t i = 0; i < manifest.repositories.size(); ++i) {
    const ManifestRepository& repository = manifest.repositories[i];
    Json package = is_changed(repository) ? changed_package(manifest, repository, repository_id(i))
                                          : upstream_package(manifest, repository, repository_id(i));
    add_security_references(manifest, repository, package);
    all.push_back(std::move(package));
    if (is_changed(repository)) all.push_back(upstream_package(manifest, repository, upstream_id(i)));
  }
  return all;
}

std::string issue_lines(const Manifest& manifest, const std::vector<std::string>& issues) {
  std::vector<std::string> lines;
  for (const ManifestIssue& issue : manifest.answered_issues) {
    for (const std::string& id : issues)
      if (id == issue.id) lines.push_back(concat(id, " (", issue.severity, "): ", issue.title));
  }
  return "known issues: " + join(lines, "; ");
}

Json file(const std::string& id, const std::string& name, const char* type, const std::string& bytes,
          const std::string& comment) {
  return {{"SPDXID", id},
          {"fileName", name},
          {"fileTypes", Json::array({type})},
          {"checksums", Json::array({{{"algorithm", "SHA1"}, {"checksumValue", sha1(bytes).hex()}},
                                     {{"algorithm", "SHA256"}, {"checksumValue", sha256(bytes).hex()}}})},
          {"licenseConcluded", kNoAssertion},
          {"licenseInfoInFiles", Json::array({kNoAssertion})},
          {"copyrightText", kNoAssertion},
          {"comment", comment}};
}

Json files(const CompanionInput& input) {
  const Manifest& manifest = *input.manifest;
  Json all = Json::array();
  for (std::size_t i = 0; i < manifest.patches.size(); ++i) {
    const ManifestPatch& patch = manifest.patches[i];
    all.push_back(file(patch_id(i), "./torchpatch/" + patch.file, "TEXT", input.patches[i].bytes,
                       issue_lines(manifest, patch.issues)));
  }
  for (std::size_t i = 0; i < manifest.added_files.size(); ++i) {
    const ManifestAddedFile& added = manifest.added_files[i];
    all.push_back(file(added_file_id(i), concat("./", repository_directory(added.repository), "/", added.path),
                       "SOURCE", input.added_files[i], issue_lines(manifest, added.issues)));
  }
  return all;
}

/// Collects relationships: "`from` <type> `to`".
class Relationships {
 public:
  void add(const std::string& from, const char* type, const std::string& to) {
    all_.push_back({{"spdxElementId", from}, {"relationshipType", type}, {"relatedSpdxElement", to}});
  }
  Json take() { return std::move(all_); }

 private:
  Json all_ = Json::array();
};

void relate_repositories(const Manifest& manifest, Relationships& relationships) {
  std::vector<RepositoryPath> paths;
  for (const ManifestRepository& repository : manifest.repositories) paths.push_back(repository.path);
  const std::vector<std::vector<SubmodulePlace>> submodules = place_submodules(paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].path.empty()) relationships.add(kTree, "CONTAINS", repository_id(i));
    for (const SubmodulePlace& place : submodules[i])
      relationships.add(repository_id(i), "CONTAINS", repository_id(static_cast<std::size_t>(place.index)));
    if (is_changed(manifest.repositories[i])) relationships.add(repository_id(i), "DESCENDANT_OF", upstream_id(i));
  }
}

std::size_t index_of(const Manifest& manifest, const RepositoryPath& path) {
  std::size_t index = 0;
  while (manifest.repositories.at(index).path != path) ++index;
  return index;
}

/// A package with filesAnalyzed=false contains no files (SPDX 2.3 §7.8): an added file is FILE_ADDED to it.
Json relationships(const Manifest& manifest) {
  Relationships all;
  all.add(kDocument, "DESCRIBES", kTree);
  relate_repositories(manifest, all);
  for (std::size_t i = 0; i < manifest.patches.size(); ++i) {
    const std::size_t repository = index_of(manifest, manifest.patches[i].repository);
    all.add(patch_id(i), "PATCH_APPLIED", repository_id(repository));
    all.add(patch_id(i), "PATCH_FOR", upstream_id(repository));
  }
  for (std::size_t i = 0; i < manifest.added_files.size(); ++i)
    all.add(added_file_id(i), "FILE_ADDED", repository_id(index_of(manifest, manifest.added_files[i].repository)));
  return all.take();
}

}  // namespace

std::string spdx_document(const CompanionInput& input) {
  const Manifest& manifest = *input.manifest;
  const Json root = {{"spdxVersion", "SPDX-2.3"},
                     {"dataLicense", "CC0-1.0"},
                     {"SPDXID", kDocument},
                     {"name", tree_name(manifest)},
                     // The site that the specification recommends to creators without one (§6.5).
                     {"documentNamespace", concat("https://spdx.org/spdxdocs/torchpatch-", tree_name(manifest), "-",
                                                  document_uuid(input.manifest_digest))},
                     {"creationInfo",
                      {{"created", utc_time(manifest.timestamp)},
                       {"creators", Json::array({"Tool: torchpatch-" + manifest.tool_version})}}},
                     {"packages", packages(manifest)},
                     {"files", files(input)},
                     {"relationships", relationships(manifest)}};
  return canonical_json(root, "sbom.spdx.json");
}

}  // namespace torchpatch::record
