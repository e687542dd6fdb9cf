// SPDX-License-Identifier: BSD-3-Clause
#include "model/tables.h"

#include <algorithm>

#include "support/find.h"
#include "support/text.h"

namespace torchpatch {

namespace {

template <typename List>
auto named(const List& list, std::string_view name) {
  return find_where(list,
                    [&](const auto& each) { return each.id == name || std::ranges::count(each.aliases, name) > 0; });
}

}  // namespace

const Core* CoreTable::find(std::string_view name) const { return named(cores, name); }

void check_fields(ObjectReader& object, const Core& core) {
  if (!core.flags.empty() && core.flags.back().gcc.text() != "*")
    object.report("flags", "must end with flags for any gcc: \"*\"");
}

void check_fields(ObjectReader& object, const CoreTable& table) {
  for (std::size_t i = 0; i < table.cores.size(); ++i) {
    const Core& core = table.cores[i];
    const auto is_other = [&](const std::string& name) { return table.find(name) != &core; };
    if (is_other(core.id) || std::ranges::any_of(core.aliases, is_other))
      object.report(concat("cores[", i, "].id"), concat(quote(core.id), " or an alias of it is listed twice"));
  }
}

const Platform* PlatformTable::find_platform(std::string_view name) const { return named(platforms, name); }

const System* PlatformTable::find_system(std::string_view os) const { return named(systems, os); }

const CudaLibraries* PlatformTable::find_cuda(const Version& version) const {
  return find_where(cuda, [&](const CudaLibraries& each) { return each.versions.contains(version); });
}

const NeverRead* VariableTable::find_never_read(std::string_view name) const {
  return find_where(never_read, [&](const NeverRead& each) { return each.name == name; });
}

const std::string* VariableTable::find_implied(const std::string& name) const {
  const auto* const found =
      find_where(implied, [&](const ImpliedNames& each) { return std::ranges::count(each.names, name) > 0; });
  return found ? &found->by : nullptr;
}

void check_fields(ObjectReader& object, const VariableTable& table) {
  for (std::size_t i = 0; i < table.never_read.size(); ++i) {
    const std::string& name = table.never_read[i].name;
    if (!name.empty() && table.find_never_read(name) != &table.never_read[i])
      object.report(concat("never_read[", i, "].name"), concat(quote(name), " is listed twice"));
  }
}

}  // namespace torchpatch
