// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/platform_file.h"

#include "catalog/fields.h"

namespace torchpatch::catalog {

namespace {

SymbolLimits read_symbol_limits(ObjectReader& reader) {
  SymbolLimits limits;
  const auto members = reader.optional_string_map("limits");
  if (members.empty()) reader.report("limits", "must not be empty");
  for (const auto& [name, text] : members)
    if (const std::optional<Version> version = parse_as<Version>(text))
      limits.emplace(name, *version);
    else
      reader.report("limits." + name, concat(quote(text), " is not ", form_of<Version>()));
  return limits;
}

}  // namespace

PlatformTable read_platforms(const DataFile& file, Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  PlatformTable table;
  reader.require_schema();
  read_objects(reader, "platforms", Presence::optional, [&](ObjectReader& item) {
    Platform& platform = table.platforms.emplace_back();
    platform.id = required_text(item, "id", kName);
    platform.aliases = optional_texts(item, "aliases", kName);
    platform.machines = optional_texts(item, "machines", kName);
    platform.limits = read_symbol_limits(item);
    platform.libraries = optional_texts(item, "libraries", kName);
  });
  read_objects(reader, "systems", Presence::optional, [&](ObjectReader& item) {
    System& system = table.systems.emplace_back();
    system.id = required_text(item, "id", kId);
    system.aliases = optional_texts(item, "aliases", kId);
    system.limits = read_symbol_limits(item);
    for (auto& [library, package] : item.optional_string_map("packages")) system.packages.emplace(library, package);
  });
  read_objects(reader, "cuda", Presence::optional, [&](ObjectReader& item) {
    CudaLibraries& cuda = table.cuda.emplace_back();
    cuda.versions = required_as<VersionRange>(item, "versions");
    cuda.libraries = required_texts(item, "libraries", kName);
  });
  table.sources = read_source_notes(reader);
  reader.finish();
  check_figures(file.json, file.path, table.sources,
                {"platforms.*.limits", "systems.*.limits", "systems.*.packages", "cuda"}, findings);
  return table;
}

}  // namespace torchpatch::catalog
