// SPDX-License-Identifier: BSD-3-Clause
/// FIELDS: describes a struct's format once, next to the struct; and NAMES: the names of an enumeration's values.
///
///   FIELDS(Gpu, compute_capability,
///          ("registers_per_block", self.registers_per_block, kOptional, Range{1, 1 << 30}, "32-bit registers"))
///
/// Each field is a member's name, or in parentheses the key, the value and any of the attributes below. The strict
/// reader and the writer (json_fields.h), the messages between processes (wire.h), and the JSON Schemas in docs/schema
/// (tests/support/schema_writer.h) are all derived from it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/digest.h"
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
#define TORCHPATCH_FIELD0(field) f(#field, self.field);
#define TORCHPATCH_FIELD1(field) f field;
#define TORCHPATCH_FIELD(field) TORCHPATCH_JOIN(TORCHPATCH_FIELD, TORCHPATCH_IS_LIST(field))(field)
#define TORCHPATCH_EACH(field, ...) \
  TORCHPATCH_FIELD(field) __VA_OPT__(TORCHPATCH_EACH_AGAIN TORCHPATCH_PARENTHESES(__VA_ARGS__))
#define TORCHPATCH_EACH_AGAIN() TORCHPATCH_EACH

/// Describes `Type`; must be in its namespace. Fields are read, written and sent in this order.
#define FIELDS(Type, ...)                                                                  \
  [[maybe_unused]] inline constexpr const char* fields_name(const Type*) { return #Type; } \
  template <typename Fields>                                                               \
  void fields(Fields& f, Type& self) {                                                     \
    TORCHPATCH_EXPAND(TORCHPATCH_EACH(__VA_ARGS__))                                        \
  }

#define TORCHPATCH_NAME0(value) {value, #value},
#define TORCHPATCH_NAME1(pair) TORCHPATCH_NAME_PAIR pair
#define TORCHPATCH_NAME_PAIR(value, text) {value, text},
#define TORCHPATCH_NAME(item) TORCHPATCH_JOIN(TORCHPATCH_NAME, TORCHPATCH_IS_LIST(item))(item)
#define TORCHPATCH_EACH_NAME(item, ...) \
  TORCHPATCH_NAME(item) __VA_OPT__(TORCHPATCH_EACH_NAME_AGAIN TORCHPATCH_PARENTHESES(__VA_ARGS__))
#define TORCHPATCH_EACH_NAME_AGAIN() TORCHPATCH_EACH_NAME

/// Names the values of an enumeration; must be in namespace torchpatch.
#define NAMES(Enum, ...)                                                                       \
  template <>                                                                                  \
  inline constexpr auto kNamesOf<Enum> = [] {                                                  \
    using enum Enum;                                                                           \
    return std::to_array<Named<Enum>>({TORCHPATCH_EXPAND(TORCHPATCH_EACH_NAME(__VA_ARGS__))}); \
  }();

namespace torchpatch {

template <typename Enum>
using Named = std::pair<Enum, const char*>;

/// The values of an enumeration and their names: an array of pairs, defined by NAMES.
template <typename Enum>
inline constexpr std::nullptr_t kNamesOf = nullptr;

/// Returns the name of a value, or empty text if there is no such value.
template <typename Enum>
const char* name_of(Enum value) {
  for (const auto& [each, name] : kNamesOf<Enum>)
    if (each == value) return name;
  return "";
}

/// Returns the value with this name.
template <typename Enum>
std::optional<Enum> parse_name(std::string_view text) {
  for (const auto& [value, name] : kNamesOf<Enum>)
    if (text == name) return value;
  return std::nullopt;
}

template <typename Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& [value, name] : kNamesOf<Enum>) names.emplace_back(name);
  return names;
}

/// Returns all names, joined: "applied, not_affected, undecided".
template <typename Enum>
std::string all_names() {
  return join(names_of<Enum>(), ", ");
}

/// Returns a value's entry in a table that has one for each value of an enumeration, in order of NAMES.
template <typename Enum, typename Entry, std::size_t N>
constexpr const Entry& entry_of(const Entry (&table)[N], Enum value) {
  static_assert([] {
    std::size_t count = 0;
    for (const auto& named : kNamesOf<Enum>)
      if (static_cast<std::size_t>(named.first) != count++) return false;
    return count == N;
  }());
  return table[static_cast<std::size_t>(value)];
}

/// A constraint on a text.
struct TextRule {
  const char* description;  ///< "an id: lower-case letters, …", for the finding
  bool (*holds)(std::string_view text);
  const char* pattern = nullptr;                            ///< for a JSON Schema: equivalent, or as close as possible
  std::string (*show)(std::string_view text) = quote;       ///< how a finding quotes an invalid text
  std::string (*problem)(std::string_view text) = nullptr;  ///< the whole finding, if more specific
  bool is_policy = false;  ///< an invalid text is refused by policy, not only malformed

  /// Returns the finding for an invalid text.
  std::string finding(std::string_view text) const {
    return problem ? problem(text) : concat(show(text), " is not ", description);
  }
};

// Attributes of a field. A TextRule is one too, for texts and for items of a list; so is a string, the field's
// description in the schema.

enum FieldMark : unsigned {
  kOptional = 1,  ///< may be absent; files omit it if nothing, empty or false, reports if nothing or empty text
  kNullIfNothing = 2 | kOptional,  ///< reports write null instead of omitting it
  kLeftOutIfZero = 4 | kOptional,
  kKeptIfEmpty = 8,    ///< files include it even if it is empty
  kNotEmpty = 16,      ///< a list or object has at least one member
  kUnique = 32,        ///< no duplicates in a list
  kNoPreRelease = 64,  ///< a version or range must not name a pre-release: check.sh could not compare it
  kMayBeEmpty = 128,   ///< a text may be empty despite its rule
};
/// In files, present only on a condition on earlier fields; reports show null otherwise.
struct PresentIf {
  bool holds;
};
/// A constraint on an object's keys.
struct KeyRule {
  const TextRule& rule;
};
/// Bounds of a number.
struct Range {
  std::int64_t minimum, maximum;
};

/// Instead of a key: the value's fields become fields of the enclosing struct.
inline constexpr struct MembersOf {
} kMembersOf;

/// The attributes of one field.
struct FieldRules {
  const TextRule* text = nullptr;
  const TextRule* key = nullptr;
  std::int64_t minimum = std::numeric_limits<std::int64_t>::min(), maximum = std::numeric_limits<std::int64_t>::max();
  bool is_absent = false, is_conditional = false, is_optional = false, is_null_if_nothing = false,
       is_kept_if_empty = false, is_left_out_if_zero = false, is_not_empty = false, is_unique = false,
       has_no_pre_release = false, may_be_empty = false;
  const char* description = nullptr;

  FieldRules() = default;
  template <typename... Attributes>
  explicit FieldRules(const Attributes&... attributes) {
    (add(attributes), ...);
  }

 private:
  void add(const TextRule& rule) { text = &rule; }
  void add(const KeyRule& names) { key = &names.rule; }
  void add(const Range& range) { minimum = range.minimum, maximum = range.maximum; }
  void add(PresentIf condition) { is_conditional = true, is_absent = !condition.holds; }
  void add(FieldMark mark) {
    const auto has = [mark](FieldMark wanted) { return (mark & wanted) == wanted; };
    is_optional |= has(kOptional);
    is_null_if_nothing |= has(kNullIfNothing);
    is_left_out_if_zero |= has(kLeftOutIfZero);
    is_kept_if_empty |= has(kKeptIfEmpty);
    is_not_empty |= has(kNotEmpty);
    is_unique |= has(kUnique);
    has_no_pre_release |= has(kNoPreRelease);
    may_be_empty |= has(kMayBeEmpty);
  }
  void add(const char* words) { description = words; }
};

/// A field computed from others: only in reports, never read. `f("ok", derived([&] { return self.differences.empty();
/// }))`
template <typename Compute>
struct Derived {
  Compute compute;
  using Value = std::remove_cvref_t<std::invoke_result_t<Compute>>;
};
template <typename Compute>
Derived<Compute> derived(Compute compute) {
  return {std::move(compute)};
}
template <typename Value>
inline constexpr bool kIsDerived = false;
template <typename Compute>
inline constexpr bool kIsDerived<Derived<Compute>> = true;

/// An object made of fields of the enclosing struct: ("counts", group([&](auto& g) { g("files", self.files); })).
template <typename Describe>
struct Group {
  Describe describe;
};
template <typename Describe>
Group<Describe> group(Describe describe) {
  return {std::move(describe)};
}
template <typename Fields, typename Describe>
void fields(Fields& f, const Group<Describe>& group) {
  group.describe(f);
}

/// A value with a text form: "1.10.2", ">=1.5 <1.7".
template <typename Value>
concept IsText = requires(const Value& value, std::string_view text) {
  { value.text() } -> std::convertible_to<std::string>;
  { Value::parse(text).has_value() } -> std::convertible_to<bool>;
};

/// The description in findings and the pattern in schemas of a Value's text form; specialised next to each type.
template <typename Value>
inline constexpr TextRule kFormOf{nullptr, nullptr};

template <>
inline constexpr TextRule kFormOf<Sha256>{"a SHA-256 of 64 lower-case hex digits", nullptr, "^[0-9a-f]{64}$"};
template <>
inline constexpr TextRule kFormOf<ObjectId>{"an object id of 40 lower-case hex digits", nullptr, "^[0-9a-f]{40}$"};

}  // namespace torchpatch
