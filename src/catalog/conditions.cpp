// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/conditions.h"

#include <optional>
#include <vector>

#include "catalog/fields.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

using Expected = std::optional<decltype(Clause::expected)>;

/// A clause under reading: where to report, and what.
struct ClauseReader {
  ObjectReader& reader;
  const Json& value;
  std::string key_path;

  Expected refuse(const std::string& message) const {
    report_at(reader, value, key_path, message);
    return std::nullopt;
  }
};

Expected read_flag(const ClauseReader& clause) {
  if (clause.value.kind != Json::Kind::boolean)
    return clause.refuse(concat("must be true or false, not ", clause.value.kind_name()));
  return clause.value.boolean;
}

Expected read_range(const ClauseReader& clause, TextParser<VersionRange> parse) {
  if (clause.value.kind != Json::Kind::string)
    return clause.refuse(concat("must be a range in a string, not ", clause.value.kind_name()));
  const std::optional<VersionRange> range = parse(clause.value.string);
  if (!range) return clause.refuse(concat(quote(clause.value.string), " is not ", form_of<VersionRange>()));
  return *range;
}

Expected read_names(const ClauseReader& clause) {
  const bool is_list = clause.value.kind == Json::Kind::array;
  const std::vector<Json> items = is_list ? clause.value.items : std::vector<Json>{clause.value};
  std::vector<std::string> names;
  for (const Json& item : items) {
    if (item.kind != Json::Kind::string)
      return clause.refuse(concat("must be a string or a list of strings, not ", item.kind_name()));
    if (!kName.holds(item.string)) return clause.refuse(concat(quote(item.string), " is not ", kName.description));
    names.push_back(item.string);
  }
  return names.empty() ? clause.refuse("must not be empty") : Expected(names);
}

Expected read_expected(const std::string& fact, FactKind kind, const ClauseReader& clause) {
  switch (kind) {
    case FactKind::boolean:
      return read_flag(clause);
    case FactKind::integer:
    case FactKind::version:
      return read_range(clause, fact == "release" ? VersionRange::parse : parse_as<VersionRange>);
    case FactKind::text:
    case FactKind::list:
      break;
  }
  return read_names(clause);
}

/// Returns the clause as reasons show it: "registers_per_block <65536", "arch aarch64 or armv7l".
std::string clause_text(const std::string& fact, FactKind kind, const decltype(Clause::expected)& expected) {
  if (const bool* flag = std::get_if<bool>(&expected)) return concat(fact, *flag ? " true" : " false");
  if (const VersionRange* range = std::get_if<VersionRange>(&expected)) return concat(fact, ' ', range->text());
  return concat(fact, ' ',
                join(std::get<std::vector<std::string>>(expected), kind == FactKind::list ? " and " : " or "));
}

void report_unknown_fact(const ClauseReader& clause, const std::string& fact) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : known_facts()) names.push_back(name);
  const std::string hint = did_you_mean(fact, names);
  clause.refuse(concat("unknown fact ", quote(fact), hint.empty() ? "" : "; ", hint));
}

}  // namespace

Condition read_condition(ObjectReader& reader, const std::string& key) {
  Condition condition;
  const Json* object = reader.optional(key, Json::Kind::object);
  if (object == nullptr) return condition;
  for (const auto& [fact, value] : object->members) {
    const ClauseReader clause{reader, value, concat(reader.key_path(key), '.', fact)};
    const auto known = known_facts().find(fact);
    if (known == known_facts().end())
      report_unknown_fact(clause, fact);
    else if (const Expected expected = read_expected(fact, known->second, clause))
      condition.clauses.push_back({fact, *expected, clause_text(fact, known->second, *expected)});
  }
  return condition;
}

bool have_common_release(const VersionRange& one, const VersionRange& other) {
  if (one.text().empty() || other.text().empty())
    return false;  // one of them was not a range, which is a finding of its own
  if (one.text() == "*" || other.text() == "*") return true;
  // A range that no version can meet does not parse.
  return VersionRange::parse(concat(one.text(), ' ', other.text())).has_value();
}

}  // namespace torchpatch::catalog
