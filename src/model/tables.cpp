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

/// Returns the fields of the row of a tab-separated table whose first field is `key`, or none.
std::vector<std::string> row_of(std::string_view table, std::string_view key) {
  const std::size_t at = table.find(concat('\n', key, '\t'));
  if (at == table.npos) return {};
  const std::string_view rest = table.substr(at + 1);
  return split(rest.substr(0, rest.find('\n')), '\t');
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

std::string PlatformTable::find_package(std::string_view library, std::string_view system,
                                        std::string_view arch) const {
  const std::vector<std::string> systems_there = row_of(libraries, "library"), row = row_of(libraries, library);
  for (std::size_t i = 1; i < std::min(systems_there.size(), row.size()); ++i) {
    if (systems_there[i] != system) continue;
    const std::vector<std::string> parts = split(row[i], ':');  // "libnuma1:arm64": on that machine only
    const bool is_there = parts.size() == 1 || parts[1] == (arch == "armv7l" ? "armhf" : "arm64");
    return is_there ? parts[0] : "";
  }
  return {};
}

std::optional<Version> PlatformTable::find_stable(std::string_view name) const {
  const std::vector<std::string> row = row_of(stable_abi, name);
  return row.size() == 2 ? Version::parse(row[1]) : std::nullopt;
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
