// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "model/repository_path.h"
#include "record/sbom.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

const char* const kTreeRef = "tree";

Json property(const std::string& name, const std::string& value) {
  return {{"name", "torchpatch:" + name}, {"value", value}};
}

/// Converts DEP-3's Origin to pedigree.patches[].type.
const char* patch_type(const std::string& origin) {
  const std::string_view category = trim(std::string_view(origin).substr(0, origin.find(',')));
  if (category == "upstream") return "cherry-pick";
  return category == "backport" ? "backport" : "unofficial";
}

Json resolved_issue(const Manifest& manifest, const std::string& id) {
  const auto issue = std::ranges::find(manifest.answered_issues, id, &ManifestIssue::id);
  if (issue == manifest.answered_issues.end()) return {{"type", "defect"}, {"id", id}};
  return {{"type", "defect"},
          {"id", id},
          {"name", issue->title},
          {"description", "severity: " + issue->severity},
          {"references", issue->links}};
}

Json cyclonedx_patch(const Manifest& manifest, const ManifestPatch& patch, const PatchCopy& copy) {
  Json resolves = Json::array();
  for (const std::string& id : patch.issues) resolves.push_back(resolved_issue(manifest, id));
  return {{"type", patch_type(copy.origin)},
          {"diff",
           {{"text", {{"contentType", "text/x-diff"}, {"encoding", "base64"}, {"content", base64_encode(copy.bytes)}}},
            {"url", patch.file}}},
          {"resolves", resolves}};
}

/// If all files state the same licence, it is declared; otherwise each is only evidence.
void add_licences(const ManifestRepository& repository, Json& component) {
  if (const std::string id = common_licence(repository.licences); !id.empty()) {
    component["licenses"] = Json::array({{{"license", {{"id", id}, {"acknowledgement", "declared"}}}}});
    return;
  }
  Json found = Json::array();
  std::set<std::string> ids;
  for (const LicenceFile& file : repository.licences)
    if (!file.id.empty() && ids.insert(file.id).second) found.push_back({{"license", {{"id", file.id}}}});
  if (!found.empty()) component["evidence"] = {{"licenses", found}};
}

/// Returns the component as upstream publishes it.
Json upstream_component(const Manifest& manifest, const ManifestRepository& repository) {
  const RepositoryName name = repository_name(repository.url);
  Json component = {{"type", "library"}};
  if (!name.owner.empty()) component["group"] = name.owner;
  component["name"] = name.name;
  component["version"] = version_of(manifest, repository);
  component["purl"] = package_url(repository);
  component["swhid"] =
      Json::array({repository.content ? swhid("dir", repository.base_tree) : swhid("rev", repository.commit)});
  return component;
}

Json pedigree(const CompanionInput& input, const ManifestRepository& repository) {
  const Manifest& manifest = *input.manifest;
  Json pedigree = Json::object();
  if (is_changed(repository)) {
    pedigree["ancestors"] = Json::array({upstream_component(manifest, repository)});
    if (!repository.content) pedigree["commits"] = Json::array({{{"uid", repository.commit.hex()}}});
    Json patches = Json::array();
    for (std::size_t i = 0; i < manifest.patches.size(); ++i) {
      if (manifest.patches[i].repository != repository.path) continue;
      patches.push_back(cyclonedx_patch(manifest, manifest.patches[i], input.patches[i]));
    }
    if (!patches.empty()) pedigree["patches"] = patches;
  }
  if (repository.overridden) pedigree["notes"] = override_text(*repository.overridden);
  return pedigree;
}

Json added_file_component(const CompanionInput& input, std::size_t index) {
  const ManifestAddedFile& file = input.manifest->added_files[index];
  Json properties = Json::array();
  for (const std::string& id : file.issues) properties.push_back(property("known-issue", id));
  return {{"type", "file"},
          {"bom-ref", concat("file:", repository_directory(file.repository), "/", file.path)},
          {"name", file.path},
          {"hashes", Json::array({{{"alg", "SHA-1"}, {"content", sha1(input.added_files[index]).hex()}},
                                  {{"alg", "SHA-256"}, {"content", file.sha256.hex()}}})},
          {"omniborId", Json::array({gitoid("blob", file.blob)})},
          {"swhid", Json::array({swhid("cnt", file.blob)})},
          {"properties", properties}};
}

Json repository_component(const CompanionInput& input, const ManifestRepository& repository) {
  const Manifest& manifest = *input.manifest;
  Json component = upstream_component(manifest, repository);
  component["bom-ref"] = repository.path.text();
  if (is_changed(repository)) component["swhid"] = Json::array({swhid("dir", repository.patched_tree)});
  add_licences(repository, component);
  component["externalReferences"] = Json::array({{{"type", "vcs"}, {"url", repository.url}}});
  if (Json value = pedigree(input, repository); !value.empty()) component["pedigree"] = std::move(value);
  Json files = Json::array();
  for (std::size_t i = 0; i < manifest.added_files.size(); ++i)
    if (manifest.added_files[i].repository == repository.path) files.push_back(added_file_component(input, i));
  if (!files.empty()) component["components"] = files;
  component["properties"] = Json::array({property("path", repository_directory(repository.path)),
                                         repository.content ? property("content", repository.content->text())
                                                            : property("commit", repository.commit.hex())});
  for (const LicenceFile& file : repository.licences)
    component["properties"].push_back(property("licence-file", licence_text(file)));
  return component;
}

Json tree_component(const Manifest& manifest) {
  Json component = {{"type", "framework"},
                    {"bom-ref", kTreeRef},
                    {"name", tree_name(manifest)},
                    {"version", manifest.release},
                    {"swhid", Json::array({swhid("dir", manifest.tree)})}};
  if (manifest.stand_in) component["description"] = *manifest.stand_in;
  component["properties"] = Json::array({property("board", manifest.board), property("image", manifest.image),
                                         property("python", manifest.python), property("plan", manifest.plan.hex())});
  return component;
}

Json metadata(const Manifest& manifest) {
  return {{"timestamp", utc_time(manifest.timestamp)},
          {"lifecycles", Json::array({{{"phase", "pre-build"}}})},
          {"tools",
           {{"components",
             Json::array({{{"type", "application"}, {"name", "torchpatch"}, {"version", manifest.tool_version}}})}}},
          {"component", tree_component(manifest)}};
}

Json references(const CompanionInput& input) {
  return Json::array({{{"type", "build-meta"},
                       {"url", "manifest.json"},
                       {"hashes", Json::array({{{"alg", "SHA-256"}, {"content", input.manifest_digest.hex()}}})}},
                      {{"type", "attestation"}, {"url", "provenance.intoto.json"}}});
}

/// Returns the nesting: the tree contains the components, each repository its submodules.
Json dependency_graph(const Manifest& manifest) {
  std::vector<RepositoryPath> paths;
  Json roots = Json::array();
  for (const ManifestRepository& repository : manifest.repositories) {
    paths.push_back(repository.path);
    if (repository.path.path.empty()) roots.push_back(repository.path.text());
  }
  Json all = Json::array({{{"ref", kTreeRef}, {"dependsOn", roots}}});
  const std::vector<std::vector<SubmodulePlace>> submodules = place_submodules(paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    Json entry = {{"ref", paths[i].text()}};
    for (const SubmodulePlace& place : submodules[i])
      entry["dependsOn"].push_back(paths[static_cast<std::size_t>(place.index)].text());
    all.push_back(std::move(entry));
  }
  return all;
}

Json vulnerability_source(const std::string& id) {
  const char* const name = starts_with(id, "CVE-") ? "NVD" : starts_with(id, "GHSA-") ? "GitHub" : "OSV";
  return {{"name", name}, {"url", advisory_url(id)}};
}

Json vulnerability(const Manifest& manifest, const AdvisoryDecision& advisory) {
  static constexpr const char* kState[] = {"exploitable", "resolved_with_pedigree", "not_affected", "not_affected",
                                           "in_triage"};
  const AdvisoryRecord& about = advisory.about;
  Json analysis = {{"state", entry_of(kState, advisory.status)}, {"detail", advisory.text()}};
  if (advisory.status == AdvisoryStatus::not_affected) analysis["justification"] = "code_not_present";
  if (advisory.status == AdvisoryStatus::not_built) analysis["justification"] = "requires_configuration";
  if (advisory.status == AdvisoryStatus::affected && about.fixed_in) analysis["response"] = Json::array({"update"});
  Json json = {{"id", about.id},
               {"source", vulnerability_source(about.id)},
               {"description", about.summary},
               {"published", about.published + "T00:00:00Z"},
               {"analysis", analysis},
               {"affects", Json::array({{{"ref", repository_of(manifest, advisory).path.text()}}})}};
  if (advisory.status == AdvisoryStatus::affected) json["recommendation"] = action_text(about);
  for (const std::string& alias : about.aliases)
    json["references"].push_back({{"id", alias}, {"source", vulnerability_source(alias)}});
  for (const std::string& source : about.sources) json["advisories"].push_back({{"url", source}});
  return json;
}

}  // namespace

std::string cyclonedx_document(const CompanionInput& input) {
  const Manifest& manifest = *input.manifest;
  Json root = {{"$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json"},
               {"bomFormat", "CycloneDX"},
               {"specVersion", "1.6"},
               {"serialNumber", "urn:uuid:" + document_uuid(input.manifest_digest)},
               {"version", 1},
               {"metadata", metadata(manifest)},
               {"components", Json::array()},
               {"externalReferences", references(input)},
               {"dependencies", dependency_graph(manifest)}};
  if (is_partial(manifest))
    root["compositions"] = Json::array({{{"aggregate", "incomplete"}, {"assemblies", Json::array({kTreeRef})}}});
  for (const ManifestRepository& repository : manifest.repositories)
    root["components"].push_back(repository_component(input, repository));
  for (const AdvisoryDecision& advisory : manifest.advisories)
    root["vulnerabilities"].push_back(vulnerability(manifest, advisory));
  return canonical_json(root, "sbom.cdx.json");
}

}  // namespace torchpatch::record
