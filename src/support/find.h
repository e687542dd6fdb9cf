// SPDX-License-Identifier: BSD-3-Clause
/// Lookups (find_value, find_where), and a list made of parts of another (collect, keys_of).
#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

namespace torchpatch {

/// Returns the value that a map has for a key, or null.
template <typename Map, typename Key>
auto find_value(Map& map, const Key& key) -> decltype(&map.begin()->second) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// Returns the first of the values for which `holds` is true, or null. `values` must outlive the result.
template <typename Values, typename Holds>
auto find_where(Values& values, Holds holds) -> decltype(&*std::ranges::begin(values)) {
  const auto found = std::ranges::find_if(values, holds);
  return found == std::ranges::end(values) ? nullptr : &*found;
}

/// Returns what `part` gives of each value, in order: collect(releases, &Release::version).
template <typename Values, typename Part>
auto collect(const Values& values, Part part) {
  std::vector<std::remove_cvref_t<std::invoke_result_t<Part, decltype(*std::ranges::begin(values))>>> parts;
  for (const auto& value : values) parts.push_back(std::invoke(part, value));
  return parts;
}

/// Returns the keys of a map, in its order.
template <typename Map>
auto keys_of(const Map& map) {
  return collect(map, &Map::value_type::first);
}

}  // namespace torchpatch
