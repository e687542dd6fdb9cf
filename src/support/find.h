// SPDX-License-Identifier: BSD-3-Clause
/// Lookups (find_value, find_where) and projections of lists (collect, keys_of).
#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

namespace torchpatch {

/// Returns a pointer to the map's value for a key, or null.
template <typename Map, typename Key>
auto find_value(Map& map, const Key& key) -> decltype(&map.begin()->second) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// Returns the first value for which `holds` is true, or null. `values` must outlive the result.
template <typename Values, typename Holds>
auto find_where(Values& values, Holds holds) -> decltype(&*std::ranges::begin(values)) {
  const auto found = std::ranges::find_if(values, holds);
  return found == std::ranges::end(values) ? nullptr : &*found;
}

/// Returns `part` of each value, in order: collect(releases, &Release::version).
template <typename Values, typename Part>
auto collect(const Values& values, Part part) {
  std::vector<std::remove_cvref_t<std::invoke_result_t<Part, decltype(*std::ranges::begin(values))>>> parts;
  for (const auto& value : values) parts.push_back(std::invoke(part, value));
  return parts;
}

/// Returns a map's keys, in order.
template <typename Map>
auto keys_of(const Map& map) {
  return collect(map, &Map::value_type::first);
}

}  // namespace torchpatch
