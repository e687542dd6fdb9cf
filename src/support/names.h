// SPDX-License-Identifier: BSD-3-Clause
/// Names of enumerations, as data files and reports spell them: one table each, for both directions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/text.h"

namespace torchpatch {

template <typename Enum>
using Named = std::pair<Enum, const char*>;

/// The values of an enumeration and their names: an array of pairs, specialised beside each enumeration that has some.
template <typename Enum>
inline constexpr std::nullptr_t kNamesOf = nullptr;

/// Returns the name of a value, or empty text where there is no such value.
template <typename Enum>
const char* name_of(Enum value) {
  for (const auto& [each, name] : kNamesOf<Enum>)
    if (each == value) return name;
  return "";
}

/// Returns the value that has this name.
template <typename Enum>
std::optional<Enum> parse_name(std::string_view text) {
  for (const auto& [value, name] : kNamesOf<Enum>)
    if (text == name) return value;
  return std::nullopt;
}

/// Returns all names.
template <typename Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& [value, name] : kNamesOf<Enum>) names.emplace_back(name);
  return names;
}

/// Returns all names: "applied, not_affected, undecided".
template <typename Enum>
std::string all_names() {
  return join(names_of<Enum>(), ", ");
}

}  // namespace torchpatch
