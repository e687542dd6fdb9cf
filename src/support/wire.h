// SPDX-License-Identifier: BSD-3-Clause
/// to_wire(), from_wire(): serialisation of the values that worker processes send to their parent. FIELDS (fields.h) or
/// a `fields` function describes the structs, for both directions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/digest.h"
#include "support/error.h"
#include "support/fields.h"

namespace torchpatch {

class WireWriter {
 public:
  /// Writes a field of a struct.
  template <typename Value, typename... Attributes>
  void operator()(const char*, const Value& value, const Attributes&...) {
    if constexpr (!kIsDerived<Value>) put(value);
  }
  /// Conditions are checked by the reader only.
  template <typename Condition>
  void require(const Condition&) {}

  template <typename Value>
  void put(const Value& value) {
    if constexpr (std::is_enum_v<Value> || std::is_integral_v<Value>)
      put_number(static_cast<std::uint64_t>(value));
    else if constexpr (IsText<Value>)
      put(value.text());
    else
      fields(*this, const_cast<Value&>(value));  // only reads here
  }
  void put(std::string_view text) {
    put_number(text.size());
    bytes_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  template <std::size_t N, typename Tag>
  void put(const Digest<N, Tag>& digest) {
    bytes_ += digest.view();
  }
  template <typename Item>
  void put(const std::vector<Item>& items) {
    put_number(items.size());
    for (const Item& item : items) put(item);
  }
  template <typename First, typename Second>
  void put(const std::pair<First, Second>& pair) {
    put(pair.first);
    put(pair.second);
  }
  template <typename Key, typename Value>
  void put(const std::map<Key, Value>& entries) {
    put(std::vector<std::pair<Key, Value>>(entries.begin(), entries.end()));
  }
  template <typename Item>
  void put(const std::set<Item>& items) {
    put(std::vector<Item>(items.begin(), items.end()));
  }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }

  std::string take() { return std::move(bytes_); }

 private:
  void put_number(std::uint64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }

  std::string bytes_;
};

/// Reads values in the order they were written. Raises source if the bytes end early or a value is invalid: a worker
/// whose memory was damaged by a hostile object can send anything.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  /// Reads a field of a struct.
  template <typename Value, typename... Attributes>
  void operator()(const char*, Value&& value, const Attributes&...) {
    if constexpr (!kIsDerived<std::remove_cvref_t<Value>>) get(value);
  }
  /// Raises source unless `holds()`.
  template <typename Condition>
  void require(const Condition& holds) {
    if (!holds()) refuse();
  }

  /// For an enumeration with names (fields.h), only named values are valid.
  template <typename Value>
  void get(Value& value) {
    if constexpr (std::is_enum_v<Value> || std::is_integral_v<Value>) {
      std::uint64_t number = 0;
      std::memcpy(&number, take(sizeof number).data(), sizeof number);
      value = static_cast<Value>(number);
      if (static_cast<std::uint64_t>(value) != number) refuse();
      if constexpr (!std::is_null_pointer_v<std::remove_const_t<decltype(kNamesOf<Value>)>>)
        require([&] { return *name_of(value) != '\0'; });
    } else if constexpr (IsText<Value>) {
      // A value that was never set has an empty text.
      const auto text = get<std::string>();
      const std::optional<Value> parsed = Value::parse(text);
      if (!parsed && text != Value{}.text()) refuse();
      value = parsed.value_or(Value{});
    } else {
      fields(*this, value);
    }
  }
  void get(std::string& text) { text = take(get<std::uint64_t>()); }
  template <std::size_t N, typename Tag>
  void get(Digest<N, Tag>& digest) {
    digest = Digest<N, Tag>::from_bytes(take(N).data());
  }
  template <typename Item>
  void get(std::vector<Item>& items) {
    auto count = get<std::uint64_t>();
    items.reserve(std::min<std::uint64_t>(count, rest_.size() / sizeof count));  // each needs at least that much
    for (; count > 0; --count) get(items.emplace_back());
  }
  template <typename First, typename Second>
  void get(std::pair<First, Second>& pair) {
    get(pair.first);
    get(pair.second);
  }
  template <typename Key, typename Value>
  void get(std::map<Key, Value>& entries) {
    for (auto& [key, value] : get<std::vector<std::pair<Key, Value>>>()) entries[key] = std::move(value);
  }
  template <typename Item>
  void get(std::set<Item>& items) {
    for (Item& item : get<std::vector<Item>>()) items.insert(std::move(item));
  }
  template <typename Value>
  void get(std::optional<Value>& value) {
    if (get<bool>()) get(value.emplace());
  }
  template <typename Value>
  Value get() {
    Value value{};
    get(value);
    return value;
  }

  [[noreturn]] static void refuse() { throw WorkerFailure("a worker process sent a damaged message"); }
  bool at_end() const { return rest_.empty(); }
  /// Raises source if bytes are left.
  void finish() const {
    if (!at_end()) refuse();
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) refuse();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

template <typename Value>
std::string to_wire(const Value& value) {
  WireWriter writer;
  writer.put(value);
  return writer.take();
}

/// Returns the value encoded in exactly `bytes`.
template <typename Value>
Value from_wire(std::string_view bytes) {
  WireReader reader(bytes);
  Value value{};
  reader.get(value);
  reader.finish();
  return value;
}

}  // namespace torchpatch
