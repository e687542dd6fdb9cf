// SPDX-License-Identifier: BSD-3-Clause

#include "model/repository_path.h"
#include "record/sbom.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

// Identifiers, not locations: URIs that nobody can take over.
const char* const kBuildType = "https://torchpatch.invalid/prepare/v1";
const char* const kBuilder = "https://torchpatch.invalid/torchpatch";

/// Returns the trees of OUT and of each component, and the manifest, which describes everything else.
Json subjects(const CompanionInput& input) {
  const Manifest& manifest = *input.manifest;
  Json all = Json::array({{{"name", tree_name(manifest)}, {"digest", {{"gitTree", manifest.tree.hex()}}}}});
  for (const auto& [component, tree] : manifest.trees)
    all.push_back({{"name", component_directory(component)}, {"digest", {{"gitTree", tree.hex()}}}});
  all.push_back({{"name", "torchpatch/manifest.json"}, {"digest", {{"sha256", input.manifest_digest.hex()}}}});
  return all;
}

/// Returns the user's parameters, if given.
Json external_parameters(const Manifest& manifest) {
  Json parameters = {{"release", manifest.release}, {"board", manifest.board}, {"image", manifest.image}};
  for (const Component component : manifest.components) parameters["components"].push_back(name_of(component));
  if (!manifest.host.empty()) parameters["host"] = concat(manifest.host.at("board"), ":", manifest.host.at("image"));
  if (!manifest.with_fixes.empty()) parameters["with"] = manifest.with_fixes;
  if (!manifest.without_fixes.empty()) parameters["without"] = manifest.without_fixes;
  if (!manifest.settings.empty()) parameters["set"] = manifest.settings;
  if (!manifest.forced_settings.empty()) parameters["force_set"] = manifest.forced_settings;
  if (!manifest.build_target.empty()) parameters["build_target"] = manifest.build_target;
  if (manifest.forced) parameters["force"] = true;
  if (manifest.unpatched) parameters["unpatched"] = true;
  if (manifest.allow_uncertified) parameters["allow_uncertified"] = true;
  if (is_partial(manifest)) parameters["allow_partial"] = true;
  return parameters;
}

Json repository_descriptor(const ManifestRepository& repository) {
  if (repository.content)
    return {{"name", repository.path.text()},
            {"uri", package_url(repository)},
            {"digest", {{"sha256", repository.content->sha256.hex()}, {"gitTree", repository.base_tree.hex()}}}};
  return {{"name", repository.path.text()},
          {"uri", source_location(repository)},
          {"digest", {{"gitCommit", repository.commit.hex()}}}};
}

Json file_descriptor(const std::string& name, const Sha256& digest, const std::vector<std::string>& issues) {
  return {{"name", name}, {"digest", {{"sha256", digest.hex()}}}, {"annotations", {{"known_issues", issues}}}};
}

Json dependencies(const Manifest& manifest) {
  Json all = Json::array();
  for (const ManifestRepository& repository : manifest.repositories) all.push_back(repository_descriptor(repository));
  for (const ManifestPatch& patch : manifest.patches)
    all.push_back(file_descriptor("torchpatch/" + patch.file, patch.sha256, patch.issues));
  for (const ManifestAddedFile& file : manifest.added_files) {
    const std::string name = concat(repository_directory(file.repository), "/", file.path);
    all.push_back(file_descriptor(name, file.sha256, file.issues));
  }
  for (const EntryOrigin& origin : manifest.origins) {
    all.push_back({{"name", origin.entry},
                   {"digest", {{"sha256", origin.digest.hex()}}},
                   {"annotations", {{"catalog", origin.layer}}}});
  }
  return all;
}

}  // namespace

std::string provenance_document(const CompanionInput& input) {
  const Manifest& manifest = *input.manifest;
  const Json root = {{"_type", "https://in-toto.io/Statement/v1"},
                     {"subject", subjects(input)},
                     {"predicateType", "https://slsa.dev/provenance/v1"},
                     {"predicate",
                      {{"buildDefinition",
                        {{"buildType", kBuildType},
                         {"externalParameters", external_parameters(manifest)},
                         {"internalParameters", {{"plan", manifest.plan.hex()}}},
                         {"resolvedDependencies", dependencies(manifest)}}},
                       {"runDetails",
                        {{"builder", {{"id", kBuilder}, {"version", {{"torchpatch", manifest.tool_version}}}}},
                         {"metadata", {{"invocationId", "urn:uuid:" + document_uuid(input.manifest_digest)}}}}}}}};
  return canonical_json(root, "provenance.intoto.json");
}

}  // namespace torchpatch::record
