// SPDX-License-Identifier: BSD-3-Clause
/// JsonReader and JsonWriter: JSON of structs described by FIELDS (fields.h). A value with its own form has `Json
/// json() const` and `void read(const JsonPlace&) const`; it wraps a member: ("path", OutputPath{self.path}).
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "support/digest.h"
#include "support/fields.h"
#include "support/json.h"
#include "support/text.h"

namespace torchpatch {

template <typename Value>
concept HasOwnForm = requires(const Value& value) {
  { value.json() } -> std::same_as<Json>;
};

/// A number in [minimum, maximum].
template <typename Number>
struct InRange {
  Number& number;
  std::int64_t minimum, maximum;

  Json json() const { return number; }
  void read(const JsonPlace& place) const {
    if (!place.is(Json::Kind::integer)) return;
    const std::int64_t value = place.value.integer;
    if (value >= minimum && value <= maximum)
      number = static_cast<Number>(value);
    else
      place.report(concat("must be from ", minimum, " to ", maximum, ", not ", value));
  }
};

template <typename Number>
InRange(Number&, std::int64_t, std::int64_t) -> InRange<Number>;

/// The kind of document: a file omits optional fields that are empty; a report shows empty lists, objects and false.
enum class JsonForm { file, report };

class JsonWriter {
 public:
  explicit JsonWriter(JsonForm form) : form_(form) {}

  template <typename Value, typename... Attributes>
  void operator()(const char* key, const Value& value, const Attributes&... attributes) {
    if constexpr (kIsDerived<Value>) {
      if (form_ == JsonForm::report) (*this)(key, value.compute(), attributes...);
    } else {
      write(key, value, FieldRules(attributes...));
    }
  }
  template <typename Value>
  void operator()(MembersOf, Value& value) {
    fields(*this, value);
  }
  template <typename Value>
  void operator()(MembersOf, std::optional<Value>& value) {
    if (value) fields(*this, *value);
  }
  template <typename Value>
  Json print(const Value& value) const {
    if constexpr (HasOwnForm<Value>) {
      return value.json();
    } else if constexpr (std::is_enum_v<Value>) {
      return name_of(value);
    } else if constexpr (IsText<Value>) {
      return value.text();
    } else if constexpr (std::is_convertible_v<Value, Json>) {
      return value;
    } else {
      JsonWriter f(form_);
      fields(f, const_cast<Value&>(value));  // only reads here
      return std::move(f.json_);
    }
  }

  template <std::size_t N, typename Tag>
  Json print(const Digest<N, Tag>& digest) const {
    return digest.hex();
  }
  template <typename... Values>
  Json print(const std::variant<Values...>& value) const {
    return std::visit([&](const auto& each) { return print(each); }, value);
  }
  Json print(std::monostate) const { return nullptr; }
  template <typename Value>
  Json print(const std::optional<Value>& value) const {
    return value ? print(*value) : Json(nullptr);
  }
  template <typename Item>
  Json print(const std::vector<Item>& items) const {
    Json list = Json::array();
    for (const Item& item : items) list.push_back(print(item));
    return list;
  }
  /// Members in their order.
  template <typename Value>
  Json print(const std::vector<std::pair<std::string, Value>>& entries) const {
    return print_members(entries);
  }
  template <typename Key, typename Value>
  Json print(const std::map<Key, Value>& entries) const {
    return print_members(entries);
  }

 private:
  template <typename Value>
  void write(const char* key, const Value& value, const FieldRules& rules) {
    if constexpr (std::integral<Value>) {
      if (rules.is_left_out_if_zero && value == 0 && !rules.is_absent) return;
    }
    if (has(key, is_left_out(value), rules)) json_[key] = print(value);
  }
  /// Returns whether a field is written; if not, it may have been set to null.
  bool has(const char* key, bool is_nothing, const FieldRules& rules);
  template <typename Value>
  bool is_left_out(const Value& value) const {
    const bool is_file = form_ == JsonForm::file;
    if constexpr (std::same_as<Value, bool>)
      return is_file && !value;
    else if constexpr (requires { value.has_value(); })
      return !value.has_value();
    else if constexpr (requires { value.is_null(); })
      return value.is_null();
    else if constexpr (std::same_as<Value, std::string>)
      return value.empty();
    else if constexpr (requires { value.empty(); })
      return is_file && value.empty();
    else
      return false;
  }
  template <typename Entries>
  Json print_members(const Entries& entries) const {
    Json object = Json::object();
    for (const auto& entry : entries) {
      using Key = std::remove_cvref_t<decltype(entry.first)>;
      if constexpr (std::is_enum_v<Key>)
        object.members.push_back({name_of(entry.first), print(entry.second)});
      else if constexpr (requires(const Key& key) { key.hex(); })
        object.members.push_back({entry.first.hex(), print(entry.second)});
      else
        object.members.push_back({entry.first, print(entry.second)});
    }
    return object;
  }

  const JsonForm form_;
  Json json_ = Json::object();
};

/// Returns a struct as JSON: a file's, which JsonReader can read, or a report's.
template <typename Value>
Json to_json(const Value& value, JsonForm form = JsonForm::file) {
  return JsonWriter(form).print(value);
}

/// Returns the bytes of a data file. Raises unsafe if a text is not UTF-8; `what` names the file in the message.
template <typename Value>
std::string file_bytes(const Value& value, const std::string& what) {
  return canonical_json(to_json(value), what);
}

/// Reads members; each wrong type or value, missing or unknown key is a finding. If a type has `check_fields(object,
/// value)`, for rules on more than one field, it is called after the fields, with an ObjectReader.
class JsonReader;

/// The first field of a format: its version.
struct SchemaVersion {
  std::int64_t version = 1;
  Json json() const { return version; }
  void read(const JsonPlace& place) const {
    if (place.is(Json::Kind::integer) && place.value.integer != version)
      place.report(concat("is ", place.value.integer, "; this torchpatch reads schema ", version));
  }
};

template <typename Fields>
void fields(Fields&, SchemaVersion&) {}  // known to both processes

/// A list as an object keyed by the items' names; `fields` of an item omits the name.
template <typename Item>
struct ByName {
  std::vector<Item>& items;
  const TextRule& rule;  ///< of the names

  bool empty() const { return items.empty(); }
  Json json() const;
  void read(const JsonPlace& place) const;
};
template <typename Item>
ByName(std::vector<Item>&, const TextRule&) -> ByName<Item>;

class JsonReader {
 public:
  explicit JsonReader(ObjectReader& object) : object_(object) {}

  template <typename Value, typename... Attributes>
  void operator()(const char* key, Value&& value, const Attributes&... attributes) {
    if constexpr (!kIsDerived<std::remove_cvref_t<Value>>) {
      const FieldRules rules(attributes...);
      if (const Json* const member = find(key, rules)) read_member(object_.place(key, *member), value, rules);
    }
  }
  template <typename Value>
  void operator()(MembersOf, Value& value) {
    fields(*this, value);
  }
  /// Returns whether there is a value of that kind.
  template <typename Value>
  static bool read(const JsonPlace& place, Value& value, const FieldRules& rules = {}) {
    if constexpr (HasOwnForm<Value>) {
      value.read(place);
      return true;
    } else if constexpr (std::is_enum_v<Value>) {
      if (!place.is(Json::Kind::string)) return false;
      const std::optional<Value> named = parse_name<Value>(place.value.string);
      if (!named) report_name(place, names_of<Value>());
      value = named.value_or(value);
      return named.has_value();
    } else if constexpr (IsText<Value>) {
      if (!place.is(Json::Kind::string)) return false;
      std::optional<Value> parsed = Value::parse(place.value.string);
      if constexpr (requires { value.is_pre_release(); }) {
        if (parsed && rules.has_no_pre_release && parsed->is_pre_release()) parsed.reset();
      }
      if constexpr (requires { value.names_pre_release(); }) {
        if (parsed && rules.has_no_pre_release && parsed->names_pre_release()) parsed.reset();
      }
      if (parsed && rules.text && !rules.text->holds(place.value.string)) parsed.reset();
      if (!parsed) report_form(place, rules.text ? *rules.text : kFormOf<Value>);
      value = parsed.value_or(value);
      return parsed.has_value();
    } else if constexpr (std::same_as<Value, bool>) {
      value = place.is(Json::Kind::boolean) && place.value.boolean;
      return place.value.kind == Json::Kind::boolean;
    } else if constexpr (std::integral<Value>) {
      const std::int64_t least = std::unsigned_integral<Value> ? 0 : std::numeric_limits<std::int64_t>::min();
      InRange{value, std::max(rules.minimum, least), rules.maximum}.read(place);
      return place.value.kind == Json::Kind::integer;
    } else {
      return read_object(place, value, [](JsonReader& f, Value& object) { fields(f, object); });
    }
  }

  /// An optional member that is present must have a value; null is not accepted.
  template <typename Value>
  static void read_member(const JsonPlace& place, std::optional<Value>& value, const FieldRules& rules) {
    if (!rules.is_optional)
      read(place, value, rules);
    else if (Value found{}; read(place, found, rules))
      value = std::move(found);
  }
  template <typename Value>
  static void read_member(const JsonPlace& place, Value& value, const FieldRules& rules) {
    read(place, value, rules);
  }
  static bool read(const JsonPlace& place, std::string& text, const FieldRules& rules = {});
  template <std::size_t N, typename Tag>
  static bool read(const JsonPlace& place, Digest<N, Tag>& digest, const FieldRules& = {}) {
    if (!place.is(Json::Kind::string)) return false;
    const auto parsed = Digest<N, Tag>::parse(place.value.string);
    if (!parsed) report_form(place, kFormOf<Digest<N, Tag>>);
    digest = parsed.value_or(digest);
    return parsed.has_value();
  }
  /// Null is read as nothing.
  template <typename Value>
  static bool read(const JsonPlace& place, std::optional<Value>& value, const FieldRules& rules = {}) {
    return place.value.kind == Json::Kind::null || read(place, value.emplace(), rules);
  }
  template <typename Key, typename Value>
  static bool read(const JsonPlace& place, std::map<Key, Value>& entries, const FieldRules& rules = {}) {
    return read_members<Key, Value>(place, rules,
                                    [&](const Key& key, Value value) { entries[key] = std::move(value); });
  }
  template <typename Value>
  static bool read(const JsonPlace& place, std::vector<std::pair<std::string, Value>>& entries,
                   const FieldRules& rules = {}) {
    return read_members<std::string, Value>(
        place, rules, [&](const std::string& key, Value value) { entries.emplace_back(key, std::move(value)); });
  }
  template <typename Key, typename Value, typename Add>
  static bool read_members(const JsonPlace& place, const FieldRules& rules, const Add& add) {
    return each_member(place, rules, [&](const JsonPlace& each, const std::string& name) {
      Key key{};
      if constexpr (std::is_enum_v<Key>) {
        const std::optional<Key> named = parse_name<Key>(name);
        if (!named) each.report(unknown_key(name, names_of<Key>()));
        if (!named) return;
        key = *named;
      } else if constexpr (requires { Key::from_bytes(nullptr); }) {
        const std::optional<Key> parsed = Key::parse(name);
        if (!parsed) each.report(concat(quote(name), " is not ", kFormOf<Key>.description));
        if (!parsed) return;
        key = *parsed;
      } else {
        key = name;
      }
      Value value{};
      if (read(each, value, rules)) add(key, std::move(value));
    });
  }
  template <typename Item>
  static bool read(const JsonPlace& place, std::vector<Item>& items, const FieldRules& rules = {}) {
    return each_item(place, rules, [&](const JsonPlace& each, bool is_kept) {
      Item item{};
      if (!read(each, item, rules)) return false;
      if (is_kept) items.push_back(std::move(item));
      return true;
    });
  }
  template <typename Value, typename Describe>
  static bool read_object(const JsonPlace& place, Value& value, const Describe& describe) {
    if (!place.is(Json::Kind::object)) return false;
    ObjectReader object(place.value, place.file, place.path, place.findings);
    JsonReader f(object);
    describe(f, value);
    if constexpr (requires { check_fields(object, value); }) check_fields(object, value);
    object.finish();
    return true;
  }

 private:
  /// Returns a field's member, or null; reports a required one that is missing.
  const Json* find(const char* key, const FieldRules& rules);
  static void report_name(const JsonPlace& place, const std::vector<std::string>& names);
  static void report_form(const JsonPlace& place, const TextRule& form);
  /// Reads each item of a list; `read_item` returns whether that succeeded. A duplicate of the same text is not kept.
  static bool each_item(const JsonPlace& place, const FieldRules& rules,
                        const std::function<bool(const JsonPlace& each, bool is_kept)>& read_item);
  /// Reads each member of an object whose key satisfies the rule for keys.
  static bool each_member(const JsonPlace& place, const FieldRules& rules,
                          const std::function<void(const JsonPlace& each, const std::string& name)>& read_member);

  ObjectReader& object_;
};

template <typename Item>
Json ByName<Item>::json() const {
  Json object = Json::object();
  for (const Item& item : items) object[item.name] = to_json(item);
  return object;
}

template <typename Item>
void ByName<Item>::read(const JsonPlace& place) const {
  std::vector<std::pair<std::string, Item>> found;
  JsonReader::read(place, found, FieldRules(KeyRule{rule}));
  for (auto& [name, item] : found) {
    item.name = name;
    items.push_back(std::move(item));
  }
}

/// Reads a struct strictly; problems become findings. `file` names the bytes.
template <typename Value>
Value read_json(std::string_view bytes, const std::string& file, Findings& findings) {
  Value value{};
  if (const std::optional<Json> json = parse_json(bytes, file, 1, findings))
    JsonReader::read({*json, file, "", findings}, value);
  return value;
}

}  // namespace torchpatch
