// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/core_file.h"

#include <algorithm>

#include "catalog/fields.h"

namespace torchpatch::catalog {

namespace {

Core read_core(ObjectReader& reader) {
  Core core;
  core.id = required_text(reader, "id", kId);
  core.aliases = optional_texts(reader, "aliases", kId);
  core.arch = required_text(reader, "arch", kArchitecture);
  read_objects(reader, "flags", Presence::required, [&](ObjectReader& item) {
    CoreFlags& flags = core.flags.emplace_back();
    flags.gcc = required_as<VersionRange>(item, "gcc");
    flags.flags = required_text(item, "flags", kLine);
  });
  if (!core.flags.empty() && core.flags.back().gcc.text() != "*")
    reader.report("flags", "must end with flags for any gcc: \"*\"");
  return core;
}

}  // namespace

CoreTable read_cores(const DataFile& file, Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  CoreTable table;
  reader.require_schema();
  read_objects(reader, "cores", Presence::required, [&](ObjectReader& item) {
    Core core = read_core(item);
    const bool is_known = table.find(core.id) || std::ranges::any_of(core.aliases, [&](const auto& alias) {
                            return table.find(alias) != nullptr;
                          });
    if (is_known) item.report("id", concat(quote(core.id), " or an alias of it is there twice"));
    table.cores.push_back(std::move(core));
  });
  table.sources = read_source_notes(reader);
  reader.finish();
  check_figures(file.json, file.path, table.sources, {"cores.*.flags"}, findings);
  return table;
}

}  // namespace torchpatch::catalog
