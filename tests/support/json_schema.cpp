// SPDX-License-Identifier: BSD-3-Clause
#include "support/json_schema.h"

#include <algorithm>
#include <map>
#include <regex>

#include "support/catch.h"
#include "support/file.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::test {

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
  /// `directory`: where the file of the schema lies.
  Validator(const Json& root, std::string directory) : root_(root), directory_(std::move(directory)) {}

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
  void check_reference(const std::string& reference, const Json& value, const std::string& path);
  void check_alternatives(const Json& rule, const Json& value, const std::string& path);
  void take_over(const std::vector<std::string>& others) {
    problems_.insert(problems_.end(), others.begin(), others.end());
  }
  std::vector<std::string> problems_with(const Json& schema, const Json& value, const std::string& path) const;

  const Json& root_;
  std::string directory_;
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

std::vector<std::string> Validator::problems_with(const Json& schema, const Json& value,
                                                  const std::string& path) const {
  Validator inner(root_, directory_);
  inner.check(schema, value, path);
  return inner.problems();
}

/// "#/$defs/name", "other.schema.json" or both, one behind the other.
void Validator::check_reference(const std::string& reference, const Json& value, const std::string& path) {
  const std::string file = reference.substr(0, reference.find('#'));
  const std::string place = file.empty() ? "" : concat(directory_, "/", file);
  const Json& root = file.empty() ? root_ : json_of_file(place);
  Validator inner(root, file.empty() ? directory_ : parent_path(place));
  const std::string name = reference.substr(file.size());
  inner.check(name.empty() ? root : *member(*member(root, "$defs"), name.substr(std::string("#/$defs/").size())), value,
              path);
  take_over(inner.problems());
}

/// Of alternatives that are objects, the one that is nearest says what is wrong.
void Validator::check_alternatives(const Json& rule, const Json& value, const std::string& path) {
  std::vector<std::vector<std::string>> problems;
  for (const Json& one : rule.items) problems.push_back(problems_with(one, value, path));
  if (std::ranges::count_if(problems, &std::vector<std::string>::empty) == 1) return;
  report(path, "is not exactly one of the alternatives");
  if (value.kind == Kind::object) take_over(*std::ranges::min_element(problems, {}, &std::vector<std::string>::size));
}

bool Validator::check_general(const std::string& keyword, const Json& rule, const Json& value,
                              const std::string& path) {
  if (keyword == "$ref") {
    check_reference(rule.string, value, path);
  } else if (keyword == "type") {
    if (rule.string != type_name(value)) report(path, "must be of type " + rule.string);
  } else if (keyword == "const") {
    if (!is_equal(rule, value)) report(path, "is not the constant");
  } else if (keyword == "enum") {
    if (std::none_of(rule.items.begin(), rule.items.end(), [&](const Json& one) { return is_equal(one, value); }))
      report(path, "is none of the choices");
  } else if (keyword == "oneOf") {
    check_alternatives(rule, value, path);
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

const Json& json_of_file(const std::string& path) {
  static std::map<std::string, Json> known;
  const auto found = known.find(path);
  if (found != known.end()) return found->second;
  Findings findings;
  const std::optional<Json> json = parse_json(read_file(path), path, 1, findings);
  findings.raise_if_any("reading a test's JSON");
  return known.emplace(path, *json).first->second;
}

std::string output_schema_file(const std::string& command) {
  std::string name = command;
  std::ranges::replace(name, ' ', '-');
  return concat(source_directory(), "/docs/schema/output/", name, ".schema.json");
}

std::vector<std::string> schema_problems(const Json& schema, const Json& value, const std::string& directory) {
  Validator validator(schema, directory);
  validator.check(schema, value, "");
  return validator.problems();
}

std::set<std::string> property_names(const Json& schema) {
  std::set<std::string> names;
  collect_names(schema, names);
  return names;
}

}  // namespace torchpatch::test
