// SPDX-License-Identifier: BSD-3-Clause
/// A struct and its bytes, described once. Beside a struct stands a function that names its fields:
///
///   template <typename Fields>
///   void fields(Fields& f, Pin& pin) {
///     f("url", pin.url);
///     f.optional("note", pin.note);
///   }
///
/// JsonWriter prints them in this order and JsonReader reads them back strictly; WireWriter and WireReader (wire.h) are
/// given to the same kind of function. A value whose form is its own has `Json json() const` and
/// `void read(const JsonPlace&) const`; it is made on the way: f("path", OutputPath{file.path}).
#pragma once

#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/json.h"
#include "support/names.h"
#include "support/object_id.h"
#include "support/text.h"

namespace torchpatch {

template <typename Value>
concept HasOwnForm = requires(const Value& value, const JsonPlace& place) {
  value.read(place);
};

/// A number out of [minimum, maximum].
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

class JsonWriter {
 public:
  template <typename Value>
  void operator()(const char* key, const Value& value) {
    json_[key] = print(value);
  }
  /// A member that is left out where the value is nothing, or empty.
  template <typename Value>
  void optional(const char* key, const std::optional<Value>& value) {
    if (value) (*this)(key, *value);
  }
  template <typename Value>
  void optional(const char* key, const Value& value) {
    if (!value.empty()) (*this)(key, value);
  }
  /// A list of objects whose fields `describe(f, item)` names.
  template <typename Item, typename Describe>
  void each(const char* key, std::vector<Item>& items, const Describe& describe) {
    Json list = Json::array();
    for (Item& item : items) {
      JsonWriter f;
      describe(f, item);
      list.push_back(std::move(f.json_));
    }
    json_[key] = std::move(list);
  }
  /// A text that is always the same, or follows from the rest.
  void constant(const char* key, const std::string& text) { json_[key] = text; }
  void schema(std::int64_t version) { json_["schema"] = version; }
  /// What a reader checks of the fields so far.
  template <typename Check>
  void check(const Check&) {}

  template <typename Value>
  static Json print(const Value& value) {
    if constexpr (HasOwnForm<Value>) {
      return value.json();
    } else if constexpr (std::is_enum_v<Value>) {
      return name_of(value);
    } else if constexpr (std::is_convertible_v<Value, Json>) {
      return value;
    } else {
      JsonWriter f;
      fields(f, const_cast<Value&>(value));  // which only reads here
      return std::move(f.json_);
    }
  }

 private:
  template <std::size_t N, typename Tag>
  static Json print(const Digest<N, Tag>& digest) {
    return digest.hex();
  }
  template <typename Value>
  static Json print(const std::optional<Value>& value) {
    return value ? print(*value) : Json(nullptr);
  }
  template <typename Item>
  static Json print(const std::vector<Item>& items) {
    Json list = Json::array();
    for (const Item& item : items) list.push_back(print(item));
    return list;
  }

  Json json_ = Json::object();
};

/// Returns a struct as JSON.
template <typename Value>
Json to_json(const Value& value) {
  return JsonWriter::print(value);
}

/// Reads members; each wrong type or value, missing or unknown key is a finding.
class JsonReader {
 public:
  explicit JsonReader(ObjectReader& object) : object_(object) {}

  template <typename Value>
  void operator()(const char* key, Value&& value) {
    if (const Json* const member = object_.required_any(key)) read(object_.place(key, *member), value);
  }
  template <typename Value>
  void optional(const char* key, std::optional<Value>& value) {
    if (const Json* const member = object_.optional_any(key)) read(object_.place(key, *member), value.emplace());
  }
  template <typename Value>
  void optional(const char* key, Value& value) {
    if (const Json* const member = object_.optional_any(key)) read(object_.place(key, *member), value);
  }
  template <typename Item, typename Describe>
  void each(const char* key, std::vector<Item>& items, const Describe& describe) {
    const Json* const member = object_.required_any(key);
    if (!member) return;
    read_items(object_.place(key, *member), items,
               [&](const JsonPlace& place, Item& item) { return read_object(place, item, describe); });
  }
  void constant(const char* key, const std::string& text) {
    std::string found = text;
    (*this)(key, found);
    if (found != text) object_.report(key, "must be " + quote(text));
  }
  void schema(std::int64_t version) { object_.require_schema(version); }
  /// Calls `check` with the object, to report what is more than a matter of types.
  template <typename Check>
  void check(const Check& check) {
    check(object_);
  }

  /// Returns whether there is a value of that kind.
  template <typename Value>
  static bool read(const JsonPlace& place, Value& value) {
    if constexpr (HasOwnForm<Value>) {
      value.read(place);
      return true;
    } else if constexpr (std::is_enum_v<Value>) {
      if (!place.is(Json::Kind::string)) return false;
      const std::optional<Value> named = parse_name<Value>(place.value.string);
      if (!named) place.report(concat("must be one of ", all_names<Value>(), ", not ", quote(place.value.string)));
      value = named.value_or(value);
      return named.has_value();
    } else if constexpr (std::same_as<Value, bool>) {
      value = place.is(Json::Kind::boolean) && place.value.boolean;
      return place.value.kind == Json::Kind::boolean;
    } else if constexpr (std::unsigned_integral<Value>) {
      InRange{value, 0, std::numeric_limits<std::int64_t>::max()}.read(place);
      return true;
    } else {
      return read_object(place, value, [](JsonReader& f, Value& object) { fields(f, object); });
    }
  }

 private:
  static bool read(const JsonPlace& place, std::string& text) {
    if (place.is(Json::Kind::string)) text = place.value.string;
    return place.value.kind == Json::Kind::string;
  }
  template <std::size_t N, typename Tag>
  static bool read(const JsonPlace& place, Digest<N, Tag>& digest) {
    if (!place.is(Json::Kind::string)) return false;
    const auto parsed = Digest<N, Tag>::parse(place.value.string);
    if (!parsed) place.report(concat("must be ", 2 * N, " lower-case hex digits, not ", quote(place.value.string)));
    digest = parsed.value_or(digest);
    return true;
  }
  /// Null stands for nothing.
  template <typename Value>
  static bool read(const JsonPlace& place, std::optional<Value>& value) {
    return place.value.kind == Json::Kind::null || read(place, value.emplace());
  }
  template <typename Value>
  static bool read(const JsonPlace& place, std::map<std::string, Value>& entries) {
    if (!place.is(Json::Kind::object)) return false;
    for (const auto& [name, member] : place.value.members) {
      Value value{};
      if (read({member, place.file, concat(place.path, ".", name), place.findings}, value)) entries[name] = value;
    }
    return true;
  }
  template <typename Item>
  static bool read(const JsonPlace& place, std::vector<Item>& items) {
    return read_items(place, items, [](const JsonPlace& each, Item& item) { return read(each, item); });
  }
  template <typename Item, typename Read>
  static bool read_items(const JsonPlace& place, std::vector<Item>& items, const Read& read_item) {
    if (!place.is(Json::Kind::array)) return false;
    for (std::size_t i = 0; i < place.value.items.size(); ++i) {
      Item item{};
      const JsonPlace each{place.value.items[i], place.file, concat(place.path, "[", i, "]"), place.findings};
      if (read_item(each, item)) items.push_back(std::move(item));
    }
    return true;
  }
  template <typename Value, typename Describe>
  static bool read_object(const JsonPlace& place, Value& value, const Describe& describe) {
    if (!place.is(Json::Kind::object)) return false;
    ObjectReader object(place.value, place.file, place.path, place.findings);
    JsonReader f(object);
    describe(f, value);
    object.finish();
    return true;
  }

  ObjectReader& object_;
};

/// Reads a struct strictly; what is wrong is findings. `file` names the bytes.
template <typename Value>
Value read_json(std::string_view bytes, const std::string& file, Findings& findings) {
  Value value{};
  if (const std::optional<Json> json = parse_json(bytes, file, 1, findings))
    JsonReader::read({*json, file, "", findings}, value);
  return value;
}

}  // namespace torchpatch
