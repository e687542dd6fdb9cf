// SPDX-License-Identifier: BSD-3-Clause
#include "record/manifest_file.h"

#include <algorithm>

#include "model/path_rule.h"
#include "record/json.h"
#include "record/manifest_contents.h"
#include "record/out_files.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

using Kind = Json::Kind;

template <typename Id>
Id parse_id(ObjectReader& object, const std::string& key, const Json* member) {
  if (member == nullptr) return {};
  const std::optional<Id> id = Id::parse(member->string);
  if (!id)
    object.report(key, concat("must be ", sizeof(Id) * 2, " lower-case hex digits, not ", quote(member->string)));
  return id.value_or(Id{});
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

constexpr std::int64_t kMaxCount = INT64_MAX;

void read_components(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  for (const std::string& name : root.required_strings("components")) {
    manifest.components.push_back(reader.component(root, "components", name));
  }
  if (manifest.components.empty()) root.report("components", "must name at least one component");
  require_sorted(root, "components", manifest.components, [](Component component) { return component; });
}

void read_stand_in(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  const bool is_genuine = reader.boolean(root, "genuine");
  if (const Json* const text = root.optional("stand_in", Kind::string)) manifest.stand_in = text->string;
  if (is_genuine == manifest.stand_in.has_value()) {
    root.report("genuine", "must be true without 'stand_in', and false with it");
  }
}

std::map<std::string, std::string> read_map(ManifestReader& reader, ObjectReader& root, const std::string& key) {
  std::map<std::string, std::string> map;
  for (auto& [name, value] : reader.string_map(root, key)) map.emplace(std::move(name), std::move(value));
  return map;
}

void read_host(ObjectReader& root, Manifest& manifest) {
  for (auto& [name, value] : root.optional_string_map("host")) manifest.host.emplace(std::move(name), std::move(value));
  if (!manifest.host.empty() && (manifest.host.count("board") == 0 || manifest.host.count("image") == 0)) {
    root.report("host", "must have a board and an image");
  }
}

void read_versions(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  const Json* const member = root.required("versions", Kind::object);
  if (member == nullptr) return;
  ObjectReader versions(*member, reader.file(), "versions", reader.findings());
  for (const Component component : manifest.components) {
    manifest.versions[component] = versions.required_string(component_name(component));
  }
  versions.finish();
}

/// Reads a version, of which later code takes for granted that it is one; or `other`, where that is not empty.
std::string read_version(ObjectReader& root, const std::string& key, const std::string& other = {}) {
  const Json* const member = root.required(key, Kind::string);
  if (member == nullptr) return {};
  const bool is_other = !other.empty() && member->string == other;
  if (!is_other && !Version::parse(member->string)) {
    root.report(key, concat(quote(member->string), " is not a version such as 1.10.2"));
  }
  return member->string;
}

void read_request(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  manifest.tool_version = root.required_string("tool_version");
  manifest.release = read_version(root, "release");
  read_stand_in(reader, root, manifest);
  manifest.board = root.required_string("board");
  manifest.image = root.required_string("image");
  manifest.python = read_version(root, "python", "none");  // --set python=none
  manifest.target = read_map(reader, root, "target");
  read_host(root, manifest);
  read_components(reader, root, manifest);
  read_versions(reader, root, manifest);
  manifest.with_fixes = root.required_strings("with_fixes");
  manifest.without_fixes = root.required_strings("without_fixes");
  manifest.settings = read_map(reader, root, "settings");
  manifest.forced = reader.boolean(root, "forced");
  manifest.unpatched = reader.boolean(root, "unpatched");
  manifest.allow_uncertified = reader.boolean(root, "allow_uncertified");
}

void read_trees(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  const Json* const member = root.required("trees", Kind::object);
  if (member == nullptr) return;
  ObjectReader trees(*member, reader.file(), "trees", reader.findings());
  for (const Component component : manifest.components) {
    manifest.trees[component] = reader.object_id(trees, component_name(component));
  }
  trees.finish();
}

void read_result(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  manifest.plan = reader.sha256(root, "plan");
  manifest.tree = reader.object_id(root, "tree");
  read_trees(reader, root, manifest);
  manifest.timestamp = root.required_integer("timestamp", 0, kLastTimestamp);
  manifest.file_count = static_cast<std::uint64_t>(root.required_integer("file_count", 0, kMaxCount));
  manifest.link_count = static_cast<std::uint64_t>(root.required_integer("link_count", 0, kMaxCount));
  manifest.byte_count = static_cast<std::uint64_t>(root.required_integer("byte_count", 0, kMaxCount));
}

void read_links(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  reader.each_object(root, "links", [&](ObjectReader& item) {
    const std::string path = item.required_string("path");
    const std::string target = item.required_string("target");
    if (const auto problem = output_link_problem(path, target)) {
      reader.refuse(item, "path", concat("link ", quote(path), " ", *problem));
    }
    manifest.links.emplace_back(path, target);
  });
  require_sorted(root, "links", manifest.links, [](const auto& row) { return row.first; });
}

void read_executables(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  const Json* const array = root.required("executables", Kind::array);
  manifest.executables = root.optional_strings("executables");
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->items.size(); ++i) {
    const Json& item = array->items[i];
    if (item.kind != Kind::string) continue;
    if (const auto problem = output_path_problem(item.string)) {
      reader.refuse(item.line, concat("executables[", i, "]"), concat(quote(item.string), " ", *problem));
    }
  }
  require_sorted(root, "executables", manifest.executables, [](const auto& path) { return path; });
}

void read_side_files(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  reader.each_object(root, "side_files", [&](ObjectReader& item) {
    ManifestSideFile file;
    file.name = reader.path(item, "name");
    file.sha256 = reader.sha256(item, "sha256");
    file.is_executable = reader.boolean(item, "is_executable");
    manifest.side_files.push_back(std::move(file));
  });
  require_sorted(root, "side_files", manifest.side_files, [](const auto& row) { return row.name; });
}

void read_origins(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  reader.each_object(root, "origins", [&](ObjectReader& item) {
    ManifestEntryOrigin origin;
    origin.entry = item.required_string("entry");
    origin.layer = item.required_string("layer");
    origin.digest = reader.sha256(item, "digest");
    manifest.origins.push_back(std::move(origin));
  });
  require_sorted(root, "origins", manifest.origins, [](const auto& row) { return row.entry; });
}

Manifest read_manifest(ManifestReader& reader, ObjectReader& root) {
  Manifest manifest;
  root.require_schema();
  read_request(reader, root, manifest);
  read_result(reader, root, manifest);
  read_contents(reader, root, manifest);
  manifest.warnings = root.required_strings("warnings");
  read_links(reader, root, manifest);
  read_executables(reader, root, manifest);
  read_side_files(reader, root, manifest);
  read_origins(reader, root, manifest);
  root.finish();
  return manifest;
}

}  // namespace

bool ManifestReader::boolean(ObjectReader& object, const std::string& key) {
  const Json* const member = object.required(key, Kind::boolean);
  return member != nullptr && member->boolean;
}

std::string ManifestReader::base64(ObjectReader& object, const std::string& key) {
  const Json* const member = object.required(key, Kind::string);
  if (member == nullptr) return {};
  const std::optional<std::string> bytes = base64_decode(member->string);
  if (!bytes) object.report(key, "must be base64");
  return bytes.value_or("");
}

ObjectId ManifestReader::object_id(ObjectReader& object, const std::string& key) {
  return parse_id<ObjectId>(object, key, object.required(key, Kind::string));
}

std::optional<ObjectId> ManifestReader::object_id_or_null(ObjectReader& object, const std::string& key) {
  const Json* const member = object.optional_any(key);
  if (member != nullptr && member->kind == Kind::null) return std::nullopt;
  return object_id(object, key);
}

Sha256 ManifestReader::sha256(ObjectReader& object, const std::string& key) {
  return parse_id<Sha256>(object, key, object.required(key, Kind::string));
}

std::string ManifestReader::text_or_null(ObjectReader& object, const std::string& key) {
  const Json* const member = object.optional_any(key);
  if (member != nullptr && member->kind == Kind::null) return {};
  return object.required_string(key);
}

Component ManifestReader::component(ObjectReader& object, const std::string& key, const std::string& name) {
  const std::optional<Component> component = parse_component(name);
  if (!component) object.report(key, concat("must be 'torch', 'vision' or 'audio', not ", quote(name)));
  return component.value_or(Component::torch);
}

RepositoryPath ManifestReader::repository(ObjectReader& object, const std::string& key) {
  const Json* const member = object.required(key, Kind::string);
  if (member == nullptr) return {};
  const std::optional<RepositoryPath> path = RepositoryPath::parse(member->string);
  if (!path) {
    refuse(object, key,
           concat(quote(member->string), " is not the path of a repository, such as 'torch:third_party/onnx'"));
    return {};
  }
  if (!path->path.empty()) {
    if (const auto problem = output_path_problem(path->path))
      refuse(object, key, concat(quote(path->path), " ", *problem));
  }
  return *path;
}

std::string ManifestReader::path(ObjectReader& object, const std::string& key) {
  const Json* const member = object.required(key, Kind::string);
  if (member == nullptr) return {};
  if (const auto problem = output_path_problem(member->string)) {
    refuse(object, key, concat(quote(member->string), " ", *problem));
  }
  return member->string;
}

std::vector<std::pair<std::string, std::string>> ManifestReader::string_map(ObjectReader& object,
                                                                            const std::string& key) {
  if (object.required(key, Kind::object) == nullptr) return {};
  return object.optional_string_map(key);
}

void ManifestReader::each_object(ObjectReader& object, const std::string& key,
                                 const std::function<void(ObjectReader&)>& read) {
  const Json* const array = object.required(key, Kind::array);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->items.size(); ++i) {
    ObjectReader item(array->items[i], file_, concat(object.key_path(key), "[", i, "]"), findings_);
    if (array->items[i].kind != Kind::object) continue;
    read(item);
    item.finish();
  }
}

void ManifestReader::refuse(ObjectReader& object, const std::string& key, const std::string& problem) {
  refuse(object.line_of(key), object.key_path(key), problem);
}

void ManifestReader::refuse(int line, const std::string& key, const std::string& problem) {
  is_refused_ = true;
  findings_.add(file_, line, key, problem);
}

void ManifestReader::raise_if_any() const {
  try {
    findings_.raise_if_any("reading the manifest");
  } catch (const Error& error) {
    const ErrorKind kind = is_refused_ ? ErrorKind::unsafe : ErrorKind::data;
    throw Error(kind, error.message(), "torchpatch writes this file; prepare the tree again instead of editing it");
  }
}

std::string manifest_json(const Manifest& manifest) {
  Json root = {{"schema", 1}, {"tool_version", manifest.tool_version}};
  add_request(manifest, root);
  add_result(manifest, root);
  add_contents(manifest, root);
  add_listings(manifest, root);
  return canonical_json(root, "manifest.json");
}

Manifest parse_manifest(std::string_view bytes, const std::string& file) {
  ManifestReader reader(file);
  Manifest manifest;
  if (const std::optional<Json> value = parse_json(bytes, file, 1, reader.findings())) {
    ObjectReader root(*value, file, "", reader.findings());
    if (value->kind == Kind::object) manifest = read_manifest(reader, root);
  }
  if (!ends_with(bytes, "\n"))
    reader.findings().add(file, 0, "", "the file is cut off: it does not end with a newline");
  reader.raise_if_any();
  return manifest;
}

}  // namespace torchpatch::record
