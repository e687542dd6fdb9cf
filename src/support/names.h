// SPDX-License-Identifier: BSD-3-Clause
/// Names of enumerations, as data files and reports spell them, by one table for both directions:
///
///   NAMES(Scope, plan, tree, (all, "catalog"))
///
/// Each item is an enumerator, whose name is its own, or one in parentheses with its name.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/text.h"

#define TORCHPATCH_EXPAND4(...) __VA_ARGS__
#define TORCHPATCH_EXPAND3(...) \
  TORCHPATCH_EXPAND4(TORCHPATCH_EXPAND4(TORCHPATCH_EXPAND4(TORCHPATCH_EXPAND4(__VA_ARGS__))))
#define TORCHPATCH_EXPAND2(...) \
  TORCHPATCH_EXPAND3(TORCHPATCH_EXPAND3(TORCHPATCH_EXPAND3(TORCHPATCH_EXPAND3(__VA_ARGS__))))
#define TORCHPATCH_EXPAND(...) \
  TORCHPATCH_EXPAND2(TORCHPATCH_EXPAND2(TORCHPATCH_EXPAND2(TORCHPATCH_EXPAND2(__VA_ARGS__))))
#define TORCHPATCH_PARENTHESES ()
#define TORCHPATCH_SECOND(first, second, ...) second
#define TORCHPATCH_PROBE(...) ~, 1
#define TORCHPATCH_IS_LIST(field) TORCHPATCH_IS_LIST2(TORCHPATCH_PROBE field, 0, ~)
#define TORCHPATCH_IS_LIST2(...) TORCHPATCH_SECOND(__VA_ARGS__)
#define TORCHPATCH_JOIN(a, b) TORCHPATCH_JOIN2(a, b)
#define TORCHPATCH_JOIN2(a, b) a##b
#define TORCHPATCH_NAME0(value) {value, #value},
#define TORCHPATCH_NAME1(pair) TORCHPATCH_NAME_PAIR pair
#define TORCHPATCH_NAME_PAIR(value, text) {value, text},
#define TORCHPATCH_NAME(item) TORCHPATCH_JOIN(TORCHPATCH_NAME, TORCHPATCH_IS_LIST(item))(item)
#define TORCHPATCH_EACH_NAME(item, ...) \
  TORCHPATCH_NAME(item) __VA_OPT__(TORCHPATCH_EACH_NAME_AGAIN TORCHPATCH_PARENTHESES(__VA_ARGS__))
#define TORCHPATCH_EACH_NAME_AGAIN() TORCHPATCH_EACH_NAME

/// Names the values of an enumeration; stands in namespace torchpatch.
#define NAMES(Enum, ...)                                                                       \
  template <>                                                                                  \
  inline constexpr auto kNamesOf<Enum> = [] {                                                  \
    using enum Enum;                                                                           \
    return std::to_array<Named<Enum>>({TORCHPATCH_EXPAND(TORCHPATCH_EACH_NAME(__VA_ARGS__))}); \
  }();

namespace torchpatch {

template <typename Enum>
using Named = std::pair<Enum, const char*>;

/// The values of an enumeration and their names: an array of pairs, which NAMES makes.
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
