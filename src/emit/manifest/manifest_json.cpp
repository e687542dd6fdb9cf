// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/format/model_json.h"
#include "emit/manifest/manifest_file.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the JSON array of `row(item)` for each of `items`.
template <typename Items, typename Row>
Json array_of(const Items& items, Row row) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(row(item));
  return array;
}

template <typename Items, typename Key>
Items sorted_by(Items items, Key key) {
  std::sort(items.begin(), items.end(), [key](const auto& a, const auto& b) { return key(a) < key(b); });
  return items;
}

Json object_of(const std::map<std::string, std::string>& entries) {
  Json object = Json::object();
  for (const auto& [name, value] : entries) object[name] = value;
  return object;
}

Json version_objects(const std::map<Component, std::string>& versions) {
  Json object = Json::object();
  for (const auto& [component, version] : versions) object[component_name(component)] = version;
  return object;
}

Json tree_objects(const std::map<Component, ObjectId>& trees) {
  Json object = Json::object();
  for (const auto& [component, tree] : trees) object[component_name(component)] = tree.hex();
  return object;
}

Json override_object(const ManifestOverride& overridden) {
  return {{"replaces", overridden.replaces.hex()},
          {"patchset", overridden.patchset},
          {"variant", overridden.variant},
          {"issues", overridden.issues}};
}

Json licence_object(const LicenceFile& file) { return {{"file", file.name}, {"id", text_or_null(file.id)}}; }

Json repository_object(const ManifestRepository& repository) {
  Json object = {{"path", repository.path.text()}, {"url", repository.url}, {"commit", repository.commit.hex()}};
  if (repository.overridden) object["override"] = override_object(*repository.overridden);
  object["base_tree"] = repository.base_tree.hex();
  object["patched_tree"] = repository.patched_tree.hex();
  object["licences"] = array_of(repository.licences, licence_object);
  object["raw_commit"] = base64_encode(repository.raw_commit);
  return object;
}

Json gap_object(const ManifestGap& gap) {
  return {{"repository", gap.repository.text()},
          {"path", gap.path},
          {"mode", file_mode_text(gap.mode)},
          {"id", gap.id.hex()}};
}

Json edge_object(const ManifestEdge& edge) {
  return {{"path", edge.path}, {"before", id_or_null(edge.before)}, {"after", id_or_null(edge.after)}};
}

Json patch_object(const ManifestPatch& patch) {
  return {{"patchset", patch.patchset},
          {"variant", patch.variant},
          {"file", patch.file},
          {"sha256", patch.sha256.hex()},
          {"repository", patch.repository.text()},
          {"issues", patch.issues},
          {"is_certified", patch.is_certified},
          {"edges", array_of(patch.edges, edge_object)}};
}

Json added_file_object(const ManifestAddedFile& file) {
  return {{"patchset", file.patchset},
          {"variant", file.variant},
          {"repository", file.repository.text()},
          {"path", file.path},
          {"mode", file_mode_text(file.mode)},
          {"blob", file.blob.hex()},
          {"sha256", file.sha256.hex()},
          {"issues", file.issues}};
}

Json issue_object(const IssueDecision& decision) {
  Json object = {{"id", decision.issue}, {"status", issue_status_name(decision.status)}, {"reason", decision.reason}};
  if (decision.fix.empty()) return object;
  object["fix"] = decision.fix;
  object["kind"] = fix_kind_name(decision.kind);
  object["variant"] = decision.variant;
  return object;
}

Json answered_issue_object(const ManifestIssue& issue) {
  return {{"id", issue.id}, {"title", issue.title}, {"severity", issue.severity}, {"links", issue.links}};
}

Json bound_object(const std::pair<std::string, std::string>& bound) {
  return {{"tool", bound.first}, {"range", bound.second}};
}

Json link_object(const std::pair<std::string, std::string>& link) {
  return {{"path", link.first}, {"target", link.second}};
}

Json side_file_object(const ManifestSideFile& file) {
  return {{"name", file.name}, {"sha256", file.sha256.hex()}, {"is_executable", file.is_executable}};
}

Json origin_object(const ManifestEntryOrigin& origin) {
  return {{"entry", origin.entry}, {"layer", origin.layer}, {"digest", origin.digest.hex()}};
}

/// What was asked for.
void add_request(const Manifest& manifest, Json& root) {
  root["release"] = manifest.release;
  root["genuine"] = !manifest.stand_in.has_value();
  if (manifest.stand_in) root["stand_in"] = *manifest.stand_in;
  root["board"] = manifest.board;
  root["image"] = manifest.image;
  root["python"] = manifest.python;
  root["target"] = object_of(manifest.target);
  if (!manifest.host.empty()) root["host"] = object_of(manifest.host);
  root["components"] = array_of(manifest.components, component_name);
  root["versions"] = version_objects(manifest.versions);
  root["with_fixes"] = manifest.with_fixes;
  root["without_fixes"] = manifest.without_fixes;
  root["settings"] = object_of(manifest.settings);
  root["forced"] = manifest.forced;
  root["unpatched"] = manifest.unpatched;
  root["allow_uncertified"] = manifest.allow_uncertified;
}

/// What came of it.
void add_result(const Manifest& manifest, Json& root) {
  root["plan"] = manifest.plan.hex();
  root["tree"] = manifest.tree.hex();
  root["trees"] = tree_objects(manifest.trees);
  root["timestamp"] = manifest.timestamp;
  root["file_count"] = manifest.file_count;
  root["link_count"] = manifest.link_count;
  root["byte_count"] = manifest.byte_count;
}

void add_contents(const Manifest& manifest, Json& root) {
  root["repositories"] =
      array_of(sorted_by(manifest.repositories, [](const auto& row) { return row.path; }), repository_object);
  if (!manifest.gaps.empty()) root["missing"] = array_of(manifest.gaps, gap_object);
  root["patches"] = array_of(manifest.patches, patch_object);
  root["added_files"] = array_of(manifest.added_files, added_file_object);
  root["issues"] = array_of(manifest.issues, issue_object);
  root["answered_issues"] = array_of(manifest.answered_issues, answered_issue_object);
  root["environment"] = array_of(manifest.environment, setting_json);
  root["tool_bounds"] = array_of(manifest.tool_bounds, bound_object);
  root["warnings"] = manifest.warnings;
}

void add_listings(const Manifest& manifest, Json& root) {
  root["links"] = array_of(sorted_by(manifest.links, [](const auto& row) { return row.first; }), link_object);
  root["executables"] = sorted_by(manifest.executables, [](const auto& path) { return path; });
  root["side_files"] =
      array_of(sorted_by(manifest.side_files, [](const auto& row) { return row.name; }), side_file_object);
  root["origins"] = array_of(sorted_by(manifest.origins, [](const auto& row) { return row.entry; }), origin_object);
}

}  // namespace

std::string manifest_json(const Manifest& manifest) {
  Json root = {{"schema", 1}, {"tool_version", manifest.tool_version}};
  add_request(manifest, root);
  add_result(manifest, root);
  add_contents(manifest, root);
  add_listings(manifest, root);
  return canonical_json(root, "manifest.json");
}

}  // namespace torchpatch::emit
