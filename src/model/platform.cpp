// SPDX-License-Identifier: BSD-3-Clause
#include "model/platform.h"

#include <algorithm>

#include "support/find.h"

namespace torchpatch {

namespace {

template <typename List>
auto named(const List& list, std::string_view name) {
  return find_where(list,
                    [&](const auto& each) { return each.id == name || std::ranges::count(each.aliases, name) > 0; });
}

}  // namespace

const Platform* PlatformTable::find_platform(std::string_view name) const { return named(platforms, name); }

const System* PlatformTable::find_system(std::string_view os) const { return named(systems, os); }

const CudaLibraries* PlatformTable::find_cuda(const Version& version) const {
  return find_where(cuda, [&](const CudaLibraries& each) { return each.versions.contains(version); });
}

}  // namespace torchpatch
