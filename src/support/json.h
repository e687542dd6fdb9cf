// SPDX-License-Identifier: BSD-3-Clause
/// Json values, printed and read strictly: nlohmann's parser behind a front end that tracks lines, refuses duplicate
/// keys, depth over 64, byte order marks, NUL in strings and numbers out of range, and reports every finding instead of
/// the first (nlohmann 3.11 uses the last duplicate, turns 2^64 into a float, and narrows silently).
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/error.h"

namespace torchpatch {

struct JsonMember;

/// A JSON value, to print or as read. Numbers are 64-bit integers; the formats have no fractions. In braces, `{{"path",
/// path}, {"count", 3}}` makes an object, any other list an array.
struct Json {
  enum class Kind { null, boolean, integer, string, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  int line = 0;  ///< where it was read
  std::int64_t integer = 0;
  std::string string;
  std::vector<Json> items;          ///< of an array
  std::vector<JsonMember> members;  ///< of an object, in order, keys unique

  Json();
  Json(std::nullptr_t);
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  template <std::integral Number>
  Json(Number number);
  template <typename Item>
  Json(const std::vector<Item>& list);
  template <typename Item>
  Json(const std::set<Item>& list);
  template <typename Value>
  Json(const std::map<std::string, Value>& entries);
  Json(std::initializer_list<Json> list);
  static Json array(std::initializer_list<Json> list = {});
  static Json object();

  /// Returns whether an array or object is empty.
  bool empty() const;
  /// Returns the member, appended if missing; null becomes an object.
  Json& operator[](std::string_view key);
  /// Returns the member, or null.
  const Json* find(std::string_view key) const;
  /// Null becomes an array.
  void push_back(Json item);
  /// Returns "an object", "a string", … for messages.
  const char* kind_name() const;
};

struct JsonMember {
  std::string name;
  Json value;
};

inline const Json* Json::find(std::string_view key) const {
  for (const JsonMember& member : members)
    if (member.name == key) return &member.value;
  return nullptr;
}

template <std::integral Number>
Json::Json(Number number) : Json() {
  kind = std::same_as<Number, bool> ? Kind::boolean : Kind::integer;
  if (kind == Kind::boolean)
    boolean = number != 0;
  else
    integer = static_cast<std::int64_t>(number);
}

template <typename Item>
Json::Json(const std::vector<Item>& list) : Json(array()) {
  for (const Item& item : list) push_back(item);
}

template <typename Item>
Json::Json(const std::set<Item>& list) : Json(std::vector<Item>(list.begin(), list.end())) {}

template <typename Value>
Json::Json(const std::map<std::string, Value>& entries) : Json(object()) {
  for (const auto& [name, value] : entries) members.push_back({name, value});
}

/// Returns the canonical bytes: 2-space indent, keys in the order of `value`, one final newline. Raises unsafe if a
/// text is not UTF-8; `what` names the document.
std::string canonical_json(const Json& value, const std::string& what);

/// The same for a report: invalid UTF-8 (file names found on disk) becomes U+FFFD.
std::string report_json(const Json& value);

/// The same without the final newline, indented by `indent` spaces per level, or all on one line if that is negative.
std::string indented_json(const Json& value, int indent);

/// Limits on nesting, number of values and key length of one text. They bound stack, memory and time, since findings
/// repeat the keys on the path to them.
inline constexpr int kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonValues = 1'000'000;
inline constexpr std::size_t kMaxJsonKeyBytes = 1024;

/// Parses `text`, which begins on line `first_line` of the file. Anything not strict is a finding. Returns nothing if
/// there is no usable value; after a duplicate key the first value is kept, so that the rest of the file is checked in
/// the same run (the caller raises on findings anyway).
std::optional<Json> parse_json(std::string_view text, const std::string& file, int first_line, Findings& findings);

/// Returns the message for an unknown key: "unknown key", and the nearest known ones.
std::string unknown_key(const std::string& key, const std::vector<std::string>& known);

/// A value in a file with its location, for findings.
struct JsonPlace {
  const Json& value;
  const std::string& file;
  std::string path;  ///< its key path: "patches[1].file"
  Findings& findings;

  /// Returns whether it is of that kind; if not, reports a finding.
  bool is(Json::Kind kind) const;
  void report(std::string message) const { findings.add(file, value.line, path, std::move(message)); }
  /// Reports a value refused by policy.
  void refuse(std::string message) const { findings.refuse(file, value.line, path, std::move(message)); }
};

/// Returns the line of the member at a key path such as "fixes[1].patchset", or of its innermost existing ancestor.
int line_of(const Json& root, std::string_view key_path);

/// Reads the members of one object; each missing or unknown key is a finding with file, line and key. A value that is
/// not an object is reported once, and has no members.
class ObjectReader {
 public:
  /// `path`: the key path of this object in its file ("" for the root).
  ObjectReader(const Json& value, std::string file, std::string path, Findings& findings);

  /// Returns a member, or null; required() reports absence.
  const Json* required(const std::string& key);
  const Json* optional(const std::string& key);
  /// Returns the location of a member.
  JsonPlace place(const std::string& key, const Json& member) const {
    return {member, file_, key_path(key), findings_};
  }

  /// Adds a finding at `key`, which may itself be a path: "patches[1].file".
  void report(const std::string& key, std::string message);
  /// Reports a value refused by policy.
  void refuse(const std::string& key, std::string message);
  /// Returns whether a finding was reported at a member since this reader was created.
  bool is_reported(const std::string& key) const;
  /// Returns the key path of a member in its file: "components.torch".
  std::string key_path(const std::string& key) const;
  const std::string& file() const { return file_; }
  /// Returns the line of a member, or of its innermost existing ancestor.
  int line_of(const std::string& key) const { return torchpatch::line_of(value_, key); }
  Findings& findings() { return findings_; }
  /// Reports every key that was not read, with the nearest known name. Call it last.
  void finish();

 private:
  const Json& value_;
  std::string file_;
  std::string path_;
  Findings& findings_;
  std::size_t first_finding_;  ///< index of this object's first
  std::vector<std::string> known_;
};

}  // namespace torchpatch
