// SPDX-License-Identifier: BSD-3-Clause
#include "emit/build/shell_text.h"
#include "emit/manifest/manifest_contents.h"
#include "emit/manifest/manifest_file.h"
#include "emit/manifest/manifest_reader.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Kind = JsonValue::Kind;

constexpr std::int64_t kLastTimestamp = 253402300799;  // 9999-12-31: what tar and the file systems can hold
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
  if (const JsonValue* const text = root.optional("stand_in", Kind::string)) manifest.stand_in = text->string;
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
  const JsonValue* const member = root.required("versions", Kind::object);
  if (member == nullptr) return;
  ObjectReader versions(*member, reader.file(), "versions", reader.findings());
  for (const Component component : manifest.components) {
    manifest.versions[component] = versions.required_string(component_name(component));
  }
  versions.finish();
}

void read_request(ManifestReader& reader, ObjectReader& root, Manifest& manifest) {
  manifest.tool_version = root.required_string("tool_version");
  manifest.release = root.required_string("release");
  read_stand_in(reader, root, manifest);
  manifest.board = root.required_string("board");
  manifest.image = root.required_string("image");
  manifest.python = root.required_string("python");
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
  const JsonValue* const member = root.required("trees", Kind::object);
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
  const JsonValue* const array = root.required("executables", Kind::array);
  manifest.executables = root.optional_strings("executables");
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->array.size(); ++i) {
    const JsonValue& item = array->array[i];
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

Manifest parse_manifest(std::string_view bytes, const std::string& file) {
  ManifestReader reader(file);
  Manifest manifest;
  if (const std::optional<JsonValue> value = parse_json(bytes, file, 1, reader.findings())) {
    ObjectReader root(*value, file, "", reader.findings());
    if (value->kind == Kind::object) manifest = read_manifest(reader, root);
  }
  if (!ends_with(bytes, "\n"))
    reader.findings().add(file, 0, "", "the file is cut off: it does not end with a newline");
  reader.raise_if_any();
  return manifest;
}

}  // namespace torchpatch::emit
