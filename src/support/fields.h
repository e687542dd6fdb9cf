// SPDX-License-Identifier: BSD-3-Clause
/// FIELDS: a struct's format, described once beside the struct:
///
///   FIELDS(Gpu, compute_capability,
///          ("registers_per_block", self.registers_per_block, kOptional, Range{1, 1 << 30}, "32-bit registers"))
///
/// Each field is a member's name, or in parentheses the key, the value and any of the attributes below. From the
/// description follow the strict reader and the writer (json_fields.h), the bytes that worker processes exchange
/// (wire.h), and the JSON Schemas in docs/schema (tests/support/schema_writer.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "support/names.h"
#include "support/object_id.h"
#include "support/text.h"

#define TORCHPATCH_FIELD0(field) f(#field, self.field);
#define TORCHPATCH_FIELD1(field) f field;
#define TORCHPATCH_FIELD(field) TORCHPATCH_JOIN(TORCHPATCH_FIELD, TORCHPATCH_IS_LIST(field))(field)
#define TORCHPATCH_EACH(field, ...) \
  TORCHPATCH_FIELD(field) __VA_OPT__(TORCHPATCH_EACH_AGAIN TORCHPATCH_PARENTHESES(__VA_ARGS__))
#define TORCHPATCH_EACH_AGAIN() TORCHPATCH_EACH

/// Describes `Type`; stands in its namespace. Fields are read, written and sent in this order.
#define FIELDS(Type, ...)                                                                  \
  [[maybe_unused]] inline constexpr const char* fields_name(const Type*) { return #Type; } \
  template <typename Fields>                                                               \
  void fields(Fields& f, Type& self) {                                                     \
    TORCHPATCH_EXPAND(TORCHPATCH_EACH(__VA_ARGS__))                                        \
  }

namespace torchpatch {

/// What a text must look like.
struct TextRule {
  const char* description;  ///< "an id: lower-case letters, …", for the finding
  bool (*holds)(std::string_view text);
  const char* pattern = nullptr;                            ///< the same for a JSON Schema, or as near as that comes
  std::string (*show)(std::string_view text) = quote;       ///< a text that does not hold, for the finding
  std::string (*problem)(std::string_view text) = nullptr;  ///< the whole finding, if that says more

  /// Returns the finding of a text that does not hold.
  std::string finding(std::string_view text) const {
    return problem ? problem(text) : concat(show(text), " is not ", description);
  }
};

// Attributes of a field. A TextRule is one as well, for texts and for the items of a list; so is a text, which
// describes the field in the schema.

/// May be absent; a file leaves it out if it is nothing, empty, or false, a report only if it is nothing or empty text.
inline constexpr struct Optional {
} kOptional;
/// Is optional, and reports show null for it instead of leaving it out.
inline constexpr struct NullIfNothing {
} kNullIfNothing;
/// A number is left out if it is 0.
inline constexpr struct LeftOutIfZero {
} kLeftOutIfZero;
/// Is there, in files, only on a condition on the fields before it; else reports show null.
struct PresentIf {
  bool holds;
};
/// A file has it even if it is empty.
inline constexpr struct KeptIfEmpty {
} kKeptIfEmpty;
/// A list or object has at least one member.
inline constexpr struct NotEmpty {
} kNotEmpty;
/// No item of a list occurs twice.
inline constexpr struct Unique {
} kUnique;
/// A version or range must not name a pre-release, which check.sh could not compare.
inline constexpr struct NoPreRelease {
} kNoPreRelease;
/// A text may be empty in spite of its rule.
inline constexpr struct MayBeEmpty {
} kMayBeEmpty;
/// What the keys of an object must look like.
struct KeyRule {
  const TextRule& rule;
};
/// Bounds of a number.
struct Range {
  std::int64_t minimum, maximum;
};

/// In place of a key: the fields of the value stand among those of the struct that has it.
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
  void add(Optional) { is_optional = true; }
  void add(NullIfNothing) { is_optional = is_null_if_nothing = true; }
  void add(LeftOutIfZero) { is_optional = is_left_out_if_zero = true; }
  void add(PresentIf condition) { is_conditional = true, is_absent = !condition.holds; }
  void add(KeptIfEmpty) { is_kept_if_empty = true; }
  void add(NotEmpty) { is_not_empty = true; }
  void add(Unique) { is_unique = true; }
  void add(NoPreRelease) { has_no_pre_release = true; }
  void add(MayBeEmpty) { may_be_empty = true; }
  void add(const char* words) { description = words; }
};

/// A field that follows from others: in reports, neither in files nor read. `f("ok", derived([&] { return
/// self.differences.empty(); }))`
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

/// An object of fields of the struct around it: ("counts", group([&](auto& g) { g("files", self.files); })).
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

/// A value that a text stands for: "1.10.2", ">=1.5 <1.7".
template <typename Value>
concept IsText = requires(const Value& value, std::string_view text) {
  { value.text() } -> std::convertible_to<std::string>;
  { Value::parse(text).has_value() } -> std::convertible_to<bool>;
};

/// How a text that stands for a Value is described in findings, and its pattern in a schema; specialised beside each.
template <typename Value>
inline constexpr TextRule kFormOf{nullptr, nullptr};

template <>
inline constexpr TextRule kFormOf<Sha256>{"a SHA-256 of 64 lower-case hex digits", nullptr, "^[0-9a-f]{64}$"};
template <>
inline constexpr TextRule kFormOf<ObjectId>{"an object id of 40 lower-case hex digits", nullptr, "^[0-9a-f]{40}$"};

}  // namespace torchpatch
