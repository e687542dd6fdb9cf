// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/build_size_file.h"

#include "catalog/fields.h"

namespace torchpatch::catalog {

namespace {

constexpr std::int64_t kMostCpus = 1024, kMostMinutes = 60 * 24 * 30, kMostMib = 1 << 24;

BuildSize read_build_size(ObjectReader& reader) {
  BuildSize size;
  size.id = required_text(reader, "id", kId);
  size.release = required_as<Version>(reader, "release");
  const std::string recipe = required_text(reader, "recipe", kName);
  if (const std::optional<RecipeKind> kind = parse_name<RecipeKind>(recipe))
    size.recipe = *kind;
  else if (!recipe.empty())
    reader.report("recipe", concat("must be one of ", all_names<RecipeKind>(), ", not ", quote(recipe)));
  size.arch = required_text(reader, "arch", kName);
  size.cpus = reader.required_integer("cpus", 1, kMostCpus);
  size.minutes = reader.required_integer("minutes", 1, kMostMinutes);
  size.disk_mib = reader.required_integer("disk_mib", 1, kMostMib);
  size.is_measured = reader.optional_boolean("measured", false);
  return size;
}

}  // namespace

BuildSizes read_build_sizes(const DataFile& file, Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  BuildSizes sizes;
  reader.require_schema();
  read_objects(reader, "builds", Presence::required,
               [&](ObjectReader& item) { sizes.builds.push_back(read_build_size(item)); });
  sizes.sources = read_source_notes(reader);
  reader.finish();
  check_figures(file.json, file.path, sizes.sources, {"builds.*.minutes", "builds.*.disk_mib"}, findings);
  return sizes;
}

}  // namespace torchpatch::catalog
