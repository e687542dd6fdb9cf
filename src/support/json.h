// SPDX-License-Identifier: BSD-3-Clause
/// Strict JSON: nlohmann's parser behind a front end that knows lines, refuses duplicate keys, depth over 64, byte
/// order marks, NUL in strings and numbers that do not fit, and reports every finding instead of the first
/// (hazards: nlohmann 3.11 takes the last duplicate, turns 2^64 into a float, narrows silently; reliability §3.6).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/findings.h"

namespace torchpatch {

struct JsonMember;

/// A JSON value with the line it stands on. Numbers are 64-bit integers; the formats have no fractions.
struct JsonValue {
  enum class Kind { null, boolean, integer, string, array, object };
  Kind kind = Kind::null;
  int line = 0;
  bool boolean = false;
  std::int64_t integer = 0;
  std::string string;
  std::vector<JsonValue> array;
  std::vector<JsonMember> object;  ///< in file order, keys unique
  /// Returns "an object", "a string", … for messages.
  const char* kind_name() const;
};

/// A key of an object and its value.
struct JsonMember {
  std::string name;
  JsonValue value;
};

/// Deepest nesting, most values and longest key of one text: bounds on the stack, on memory and on time, for findings
/// repeat the keys on the way to them (reliability G9).
inline constexpr int kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonValues = 1'000'000;
inline constexpr std::size_t kMaxJsonKeyBytes = 1024;

/// Parses `text`; `first_line` is the line of the file on which it begins. Everything that is not strict is a finding.
/// Nothing is returned where no value can be had; a duplicate key alone leaves its first value standing, so that the
/// rest of the file is checked in the same run (the caller raises on findings in any case).
std::optional<JsonValue> parse_json(std::string_view text, const std::string& file, int first_line, Findings& findings);

/// Reads the members of one object; each wrong type, missing or unknown key is a finding with file, line and key.
/// A reader of a value that is not an object reports that once and then yields only defaults.
class ObjectReader {
 public:
  /// `path`: the key path of this object in its file ("" for the root).
  ObjectReader(const JsonValue& value, std::string file, std::string path, Findings& findings);

  std::string required_string(const std::string& key);
  std::string optional_string(const std::string& key, std::string fallback = {});
  std::int64_t required_integer(const std::string& key, std::int64_t minimum, std::int64_t maximum);
  std::optional<std::int64_t> optional_integer(const std::string& key, std::int64_t minimum, std::int64_t maximum);
  bool optional_boolean(const std::string& key, bool fallback);
  std::vector<std::string> required_strings(const std::string& key);
  std::vector<std::string> optional_strings(const std::string& key);
  /// String members of a sub-object, in file order.
  std::vector<std::pair<std::string, std::string>> optional_string_map(const std::string& key);
  /// The raw member, or null where absent (for nested readers); the required form reports absence.
  const JsonValue* required(const std::string& key, JsonValue::Kind kind);
  const JsonValue* optional(const std::string& key, JsonValue::Kind kind);
  /// The raw member of whatever kind, or null.
  const JsonValue* optional_any(const std::string& key);

  /// Checks `"schema": 1`.
  void require_schema(std::int64_t version = 1);
  /// Adds a finding with `key`'s line and path.
  void report(const std::string& key, std::string message);
  /// Returns the key path of a member in its file: "components.torch".
  std::string key_path(const std::string& key) const;
  const std::string& file() const { return file_; }
  /// Returns the line of a member, or of this object where it has none of that name.
  int line_of(const std::string& key) const;
  Findings& findings() { return findings_; }
  /// Reports every key that was not asked for, with the nearest known name. Call it last.
  void finish();

 private:
  /// Returns the member or null; from now on `key` is a known one.
  const JsonValue* find(const std::string& key);
  /// Returns the line of a member, or 0 where there is none.
  int line_of_member(const std::string& key) const;
  std::int64_t in_range(const JsonValue* member, const std::string& key, std::int64_t minimum, std::int64_t maximum);
  std::vector<std::string> strings_of(const JsonValue* member, const std::string& key);

  const JsonValue& value_;
  std::string file_;
  std::string path_;
  Findings& findings_;
  std::vector<std::string> known_;
};

}  // namespace torchpatch
