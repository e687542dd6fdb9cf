// SPDX-License-Identifier: BSD-3-Clause
#include "unit/catalog/json_schema.h"

#include <algorithm>
#include <map>
#include <regex>

#include "support/catch.h"
#include "support/text.h"

namespace torchpatch::catalog::test {

namespace {

using Kind = Json::Kind;

bool is_equal(const Json& a, const Json& b) {
  const auto same_member = [](const auto& x, const auto& y) { return x.name == y.name && is_equal(x.value, y.value); };
  return a.kind == b.kind && a.boolean == b.boolean && a.integer == b.integer && a.string == b.string &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), is_equal) &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_member);
}

/// Returns a pattern of a schema, compiled once.
const std::regex& compiled(const std::string& pattern) {
  static std::map<std::string, std::regex> known;
  return known.try_emplace(pattern, pattern).first->second;
}

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  void check(const Json& schema, const Json& value, const std::string& path);
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void report(const std::string& path, const std::string& message) { problems_.push_back(path + ": " + message); }
  bool check_general(const std::string& keyword, const Json& rule, const Json& value, const std::string& path);
  bool check_scalar(const std::string& keyword, const Json& rule, const Json& value, const std::string& path);
  bool check_array(const std::string& keyword, const Json& rule, const Json& value, const std::string& path);
  bool check_object(const std::string& keyword, const Json& schema, const Json& rule, const Json& value,
                    const std::string& path);
  void check_others(const Json& schema, const Json& rule, const Json& value, const std::string& path);
  std::size_t count_problems(const Json& schema, const Json& value) const;

  const Json& root_;
  std::vector<std::string> problems_;
};

const char* type_name(const Json& value) {
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "boolean";
    case Kind::integer:
      return "integer";
    case Kind::string:
      return "string";
    case Kind::array:
      return "array";
    case Kind::object:
      return "object";
  }
  return "";
}

std::size_t Validator::count_problems(const Json& schema, const Json& value) const {
  Validator inner(root_);
  inner.check(schema, value, "");
  return inner.problems().size();
}

bool Validator::check_general(const std::string& keyword, const Json& rule, const Json& value,
                              const std::string& path) {
  if (keyword == "$ref") {
    const std::string name = rule.string.substr(std::string("#/$defs/").size());
    check(*member(*member(root_, "$defs"), name), value, path);
  } else if (keyword == "type") {
    if (rule.string != type_name(value)) report(path, "must be of type " + rule.string);
  } else if (keyword == "const") {
    if (!is_equal(rule, value)) report(path, "is not the constant");
  } else if (keyword == "enum") {
    if (std::none_of(rule.items.begin(), rule.items.end(), [&](const Json& one) { return is_equal(one, value); }))
      report(path, "is none of the choices");
  } else if (keyword == "oneOf") {
    const auto fits = [&](const Json& one) { return count_problems(one, value) == 0; };
    if (std::count_if(rule.items.begin(), rule.items.end(), fits) != 1)
      report(path, "is not exactly one of the alternatives");
  } else {
    return keyword == "description" || keyword == "title" || keyword == "$schema" || keyword == "$defs";
  }
  return true;
}

bool Validator::check_scalar(const std::string& keyword, const Json& rule, const Json& value, const std::string& path) {
  if (keyword == "pattern") {
    if (value.kind == Kind::string && !std::regex_search(value.string, compiled(rule.string)))
      report(path, "does not match " + rule.string);
  } else if (keyword == "minLength") {
    if (value.kind == Kind::string && static_cast<std::int64_t>(value.string.size()) < rule.integer)
      report(path, "is too short");
  } else if (keyword == "minimum" || keyword == "maximum") {
    const bool is_low = keyword == "minimum";
    if (value.kind == Kind::integer && (is_low ? value.integer < rule.integer : value.integer > rule.integer))
      report(path, is_low ? "is too small" : "is too large");
  } else {
    return false;
  }
  return true;
}

bool Validator::check_array(const std::string& keyword, const Json& rule, const Json& value, const std::string& path) {
  if (keyword == "items") {
    for (std::size_t i = 0; i < value.items.size(); ++i) check(rule, value.items[i], concat(path, '[', i, ']'));
  } else if (keyword == "minItems") {
    if (value.kind == Kind::array && static_cast<std::int64_t>(value.items.size()) < rule.integer)
      report(path, "has too few items");
  } else if (keyword == "uniqueItems") {
    for (auto item = value.items.begin(); item != value.items.end(); ++item)
      if (std::any_of(value.items.begin(), item, [&](const Json& other) { return is_equal(other, *item); }))
        report(path, "has an item twice");
  } else {
    return false;
  }
  return true;
}

/// additionalProperties: what `properties` does not name is refused or has a schema of its own.
void Validator::check_others(const Json& schema, const Json& rule, const Json& value, const std::string& path) {
  const Json* properties = member(schema, "properties");
  for (const auto& [name, item] : value.members) {
    if (properties != nullptr && member(*properties, name) != nullptr) continue;
    if (rule.kind == Kind::boolean)
      report(path + "." + name, "unknown key");
    else
      check(rule, item, path + "." + name);
  }
}

bool Validator::check_object(const std::string& keyword, const Json& schema, const Json& rule, const Json& value,
                             const std::string& path) {
  if (keyword == "properties") {
    for (const auto& [name, property] : rule.members)
      if (const Json* item = member(value, name)) check(property, *item, path + "." + name);
  } else if (keyword == "required") {
    for (const Json& name : rule.items)
      if (value.kind == Kind::object && member(value, name.string) == nullptr)
        report(path + "." + name.string, "is missing");
  } else if (keyword == "additionalProperties") {
    check_others(schema, rule, value, path);
  } else if (keyword == "propertyNames") {
    for (const auto& [name, item] : value.members) {
      Json text;
      text.kind = Kind::string;
      text.string = name;
      check(rule, text, path + "." + name);
    }
  } else {
    return false;
  }
  return true;
}

void Validator::check(const Json& schema, const Json& value, const std::string& path) {
  for (const auto& [keyword, rule] : schema.members) {
    INFO("keyword " << keyword);
    REQUIRE((check_general(keyword, rule, value, path) || check_scalar(keyword, rule, value, path) ||
             check_array(keyword, rule, value, path) || check_object(keyword, schema, rule, value, path)));
  }
}

void collect_names(const Json& schema, std::set<std::string>& names) {
  for (const auto& [keyword, value] : schema.members) {
    if (keyword == "properties")
      for (const auto& [name, property] : value.members) names.insert(name);
    collect_names(value, names);
  }
  for (const Json& item : schema.items) collect_names(item, names);
}

}  // namespace

const Json* member(const Json& object, const std::string& key) {
  const auto found =
      std::find_if(object.members.begin(), object.members.end(), [&](const auto& entry) { return entry.name == key; });
  return found == object.members.end() ? nullptr : &found->value;
}

std::vector<std::string> schema_problems(const Json& schema, const Json& value) {
  Validator validator(schema);
  validator.check(schema, value, "");
  return validator.problems();
}

std::set<std::string> property_names(const Json& schema) {
  std::set<std::string> names;
  collect_names(schema, names);
  return names;
}

}  // namespace torchpatch::catalog::test
