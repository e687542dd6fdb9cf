// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/release_file.h"

#include <algorithm>

#include "catalog/citations.h"
#include "catalog/fields.h"

namespace torchpatch::catalog {

namespace {

/// The figures that need a source.
const std::vector<std::string> kReleaseFigures = {
    "python", "cuda", "components.*.version", "components.*.commit", "build_tools.*", "imports"};

ComponentPin read_pin(ObjectReader& reader) {
  ComponentPin pin;
  pin.url = required_text(reader, "url", kUrl);
  pin.tag = required_text(reader, "tag", kName);
  pin.version = required_as<Version>(reader, "version", Version::parse).text();
  pin.commit = required_as<ObjectId>(reader, "commit");
  pin.environment = optional_environment(reader, "environment");
  return pin;
}

std::map<Component, ComponentPin> read_components(ObjectReader& reader) {
  std::map<Component, ComponentPin> pins;
  read_object(reader, "components", Presence::required, [&](ObjectReader& components) {
    for (const Component component : kComponents) {
      const Presence presence = component == Component::torch ? Presence::required : Presence::optional;
      read_object(components, component_name(component), presence,
                  [&](ObjectReader& pin) { pins.emplace(component, read_pin(pin)); });
    }
  });
  return pins;
}

/// Calls `use(name, text, value)` for each member of a sub-object whose values are texts.
template <typename Use>
void read_text_members(ObjectReader& reader, const std::string& key, const TextRule& name_rule, Use use) {
  const Json* object = reader.optional(key, Json::Kind::object);
  for (std::size_t i = 0; object && i < object->members.size(); ++i) {
    const auto& [name, value] = object->members[i];
    const std::string path = concat(reader.key_path(key), '.', name);
    if (!name_rule.holds(name))
      report_at(reader, value, path, concat(quote(name), " is not ", name_rule.description));
    else if (value.kind != Json::Kind::string)
      report_at(reader, value, path, concat("must be a string, not ", value.kind_name()));
    else
      use(name, value, path);
  }
}

std::map<std::string, VersionRange> read_build_tools(ObjectReader& reader) {
  std::map<std::string, VersionRange> tools;
  read_text_members(
      reader, "build_tools", kName, [&](const std::string& name, const Json& value, const std::string& path) {
        if (const auto range = parse_as<VersionRange>(value.string))
          tools.emplace(name, *range);
        else
          report_at(reader, value, path, concat(quote(value.string), " is not ", form_of<VersionRange>()));
      });
  return tools;
}

/// Calls `use(name, place)` for each member of a sub-object whose values are places: file:line.
template <typename Use>
void read_places(ObjectReader& reader, const std::string& key, const TextRule& name_rule, Use use) {
  read_text_members(reader, key, name_rule, [&](const std::string& name, const Json& value, const std::string& path) {
    if (kPlace.holds(value.string))
      use(name, value.string);
    else
      report_at(reader, value, path, concat(quote(value.string), " is not ", kPlace.description));
  });
}

std::map<Component, std::map<std::string, std::string>> read_imports(ObjectReader& reader) {
  std::map<Component, std::map<std::string, std::string>> imports;
  read_object(reader, "imports", Presence::optional, [&](ObjectReader& components) {
    for (const Component component : kComponents) {
      const auto add = [&](const std::string& name, const std::string& place) { imports[component][name] = place; };
      read_places(components, component_name(component), kName, add);
    }
  });
  return imports;
}

std::vector<BuildFlag> read_flags(ObjectReader& reader) {
  std::vector<BuildFlag> flags;
  read_places(reader, "flags", kVariableName, [&](const std::string& name, const std::string& place) {
    flags.push_back({name, place});
  });
  std::sort(flags.begin(), flags.end(), [](const BuildFlag& a, const BuildFlag& b) { return a.name < b.name; });
  return flags;
}

/// The version in the file's own words: "1.10" and "1.10.0" compare equal, but only one names the file.
Version read_version(ObjectReader& reader, const std::string& stem) {
  Version version = required_as<Version>(reader, "version", Version::parse);
  if (!version.text().empty() && version.text() != stem)
    reader.report("version", concat("is ", quote(version.text()), ", but the file's path says ", quote(stem)));
  return version;
}

}  // namespace

Entry<Release> read_release(const DataFile& file, const std::string& stem, Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  Entry<Release> entry;
  reader.require_schema();
  entry.replaces = optional_as<Sha256>(reader, "replaces");
  Release& release = entry.value;
  release.version = read_version(reader, stem);
  release.date = required_text(reader, "date", kDate);
  for (const Version& python : required_minor_versions(reader, "python")) release.python.push_back(python.text());
  release.cuda = optional_as<VersionRange>(reader, "cuda");
  release.components = read_components(reader);
  release.build_tools = read_build_tools(reader);
  release.imports = read_imports(reader);
  release.flags = read_flags(reader);
  release.environment = optional_environment(reader, "environment");
  release.notes = optional_texts(reader, "notes", kLine);
  if (const std::string text = optional_text(reader, "stand_in", kLine); !text.empty()) release.stand_in = text;
  release.sources = read_source_notes(reader);
  release.citations = read_citations(reader);
  reader.finish();
  check_figures(file.json, file.path, release.sources, kReleaseFigures, findings);
  return entry;
}

std::vector<MovedRepository> read_moved_repositories(const DataFile& file, Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  std::vector<MovedRepository> table;
  reader.require_schema();
  read_objects(reader, "moved", Presence::required, [&](ObjectReader& item) {
    MovedRepository moved;
    moved.from = required_text(item, "from", kUrl);
    moved.to = required_texts(item, "to", kUrl);
    moved.note = optional_text(item, "note", kLine);
    table.push_back(std::move(moved));
  });
  reader.finish();
  return table;
}

VariableTable read_variables(const DataFile& file, Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  VariableTable table;
  reader.require_schema();
  read_objects(reader, "never_read", Presence::optional, [&](ObjectReader& item) {
    const std::string name = required_text(item, "name", kVariableName);
    std::vector<std::string> instead = optional_texts(item, "instead", kVariableName);
    if (!table.never_read.emplace(name, std::move(instead)).second)
      item.report("name", concat(quote(name), " is there twice"));
  });
  table.of_tools = optional_texts(reader, "of_tools", kVariablePattern);
  read_objects(reader, "implied", Presence::optional, [&](ObjectReader& item) {
    const std::string by = required_text(item, "by", kLine);
    for (const std::string& name : required_texts(item, "names", kVariableName)) table.implied[name] = by;
  });
  reader.finish();
  return table;
}

}  // namespace torchpatch::catalog
