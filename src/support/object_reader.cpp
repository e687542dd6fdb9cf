// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "support/json.h"
#include "support/text.h"

namespace torchpatch {
namespace {

using Kind = JsonValue::Kind;

const char* kind_name(Kind kind) {
  JsonValue value;
  value.kind = kind;
  return value.kind_name();
}

}  // namespace

ObjectReader::ObjectReader(const JsonValue& value, std::string file, std::string path, Findings& findings)
    : value_(value), file_(std::move(file)), path_(std::move(path)), findings_(findings) {
  if (value_.kind != Kind::object) {
    findings_.add(file_, value_.line, path_, concat("must be an object, not ", value_.kind_name()));
  }
}

const JsonValue* ObjectReader::find(const std::string& key) {
  known_.push_back(key);
  for (const auto& [name, value] : value_.object) {
    if (name == key) return &value;
  }
  return nullptr;
}

const JsonValue* ObjectReader::optional(const std::string& key, Kind kind) {
  const JsonValue* const member = find(key);
  if (member == nullptr || member->kind == kind) return member;
  report(key, concat("must be ", kind_name(kind), ", not ", member->kind_name()));
  return nullptr;
}

const JsonValue* ObjectReader::required(const std::string& key, Kind kind) {
  const JsonValue* const member = optional(key, kind);
  const bool is_absent = line_of_member(key) == 0;
  if (is_absent && value_.kind == Kind::object) report(key, "is missing");
  return member;
}

const JsonValue* ObjectReader::optional_any(const std::string& key) { return find(key); }

std::string ObjectReader::required_string(const std::string& key) {
  const JsonValue* const member = required(key, Kind::string);
  return member == nullptr ? std::string() : member->string;
}

std::string ObjectReader::optional_string(const std::string& key, std::string fallback) {
  const JsonValue* const member = optional(key, Kind::string);
  return member == nullptr ? std::move(fallback) : member->string;
}

std::int64_t ObjectReader::in_range(const JsonValue* member, const std::string& key, std::int64_t minimum,
                                    std::int64_t maximum) {
  if (member == nullptr) return minimum;
  if (member->integer >= minimum && member->integer <= maximum) return member->integer;
  report(key, concat("must be from ", minimum, " to ", maximum, ", not ", member->integer));
  return minimum;
}

std::int64_t ObjectReader::required_integer(const std::string& key, std::int64_t minimum, std::int64_t maximum) {
  return in_range(required(key, Kind::integer), key, minimum, maximum);
}

std::optional<std::int64_t> ObjectReader::optional_integer(const std::string& key, std::int64_t minimum,
                                                           std::int64_t maximum) {
  const JsonValue* const member = optional(key, Kind::integer);
  if (member == nullptr) return std::nullopt;
  return in_range(member, key, minimum, maximum);
}

bool ObjectReader::optional_boolean(const std::string& key, bool fallback) {
  const JsonValue* const member = optional(key, Kind::boolean);
  return member == nullptr ? fallback : member->boolean;
}

std::vector<std::string> ObjectReader::strings_of(const JsonValue* member, const std::string& key) {
  std::vector<std::string> strings;
  if (member == nullptr) return strings;
  for (std::size_t i = 0; i < member->array.size(); ++i) {
    const JsonValue& item = member->array[i];
    if (item.kind == Kind::string) {
      strings.push_back(item.string);
    } else {
      findings_.add(file_, item.line, concat(key_path(key), "[", i, "]"),
                    concat("must be a string, not ", item.kind_name()));
    }
  }
  return strings;
}

std::vector<std::string> ObjectReader::required_strings(const std::string& key) {
  return strings_of(required(key, Kind::array), key);
}

std::vector<std::string> ObjectReader::optional_strings(const std::string& key) {
  return strings_of(optional(key, Kind::array), key);
}

std::vector<std::pair<std::string, std::string>> ObjectReader::optional_string_map(const std::string& key) {
  std::vector<std::pair<std::string, std::string>> entries;
  const JsonValue* const member = optional(key, Kind::object);
  if (member == nullptr) return entries;
  for (const auto& [name, value] : member->object) {
    if (value.kind == Kind::string) {
      entries.emplace_back(name, value.string);
    } else {
      findings_.add(file_, value.line, key_path(key) + "." + name, concat("must be a string, not ", value.kind_name()));
    }
  }
  return entries;
}

void ObjectReader::require_schema(std::int64_t version) {
  const JsonValue* const member = required("schema", Kind::integer);
  if (member == nullptr || member->integer == version) return;
  report("schema", concat("is ", member->integer, "; this torchpatch reads schema ", version));
}

void ObjectReader::report(const std::string& key, std::string message) {
  findings_.add(file_, line_of(key), key_path(key), std::move(message));
}

std::string ObjectReader::key_path(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

int ObjectReader::line_of_member(const std::string& key) const {
  for (const auto& [name, value] : value_.object) {
    if (name == key) return value.line;
  }
  return 0;
}

int ObjectReader::line_of(const std::string& key) const {
  const int line = line_of_member(key);
  return line > 0 ? line : value_.line;
}

void ObjectReader::finish() {
  for (const auto& [name, value] : value_.object) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const std::string suggestion = did_you_mean(name, known_);
    // Not by report(), which would look for each of a hostile object's many keys again.
    findings_.add(file_, value.line, key_path(name), suggestion.empty() ? "unknown key" : "unknown key; " + suggestion);
  }
}

}  // namespace torchpatch
