// SPDX-License-Identifier: BSD-3-Clause
#include "model/issue.h"

#include <algorithm>
#include <set>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch {

namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_in_range(std::int64_t number, const VersionRange& range) {
  const std::optional<Version> version = Version::parse(std::to_string(number));
  return version && range.contains(*version);
}

/// Returns whether a known value satisfies a clause. The loader and --set ensure that their kinds match.
bool is_met(const FactValue& value, const Clause& clause) {
  if (const auto* expected = std::get_if<bool>(&clause.expected)) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag == *expected;
  }
  if (const auto* range = std::get_if<VersionRange>(&clause.expected)) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return is_in_range(*number, *range);
    if (const auto* version = std::get_if<Version>(&value)) return range->contains(*version);
  }
  if (const auto* names = std::get_if<Names>(&clause.expected)) {
    if (const auto* text = std::get_if<std::string>(&value)) return contains(*names, *text);
    if (const auto* list = std::get_if<Names>(&value))
      return std::all_of(names->begin(), names->end(), [&](const std::string& name) { return contains(*list, name); });
  }
  throw Error(ErrorKind::internal, "the fact " + quote(clause.fact) + " has the wrong type for its condition");
}

Truth truth_of(const Clause& clause, const Facts& facts) {
  const auto fact = facts.find(clause.fact);
  if (fact == facts.end()) return Truth::unknown;
  if (std::holds_alternative<std::monostate>(fact->second)) return Truth::no;
  return is_met(fact->second, clause) ? Truth::yes : Truth::no;
}

std::string value_text(const FactValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* version = std::get_if<Version>(&value)) return version->text();
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* list = std::get_if<Names>(&value)) return list->empty() ? "empty" : join(*list, ", ");
  return "absent";
}

/// Returns a clause's text without the fact's name: "<65536".
std::string expected_text(const Clause& clause) {
  const std::string prefix = clause.fact + " ";
  return clause.text.starts_with(prefix) ? clause.text.substr(prefix.size()) : clause.text;
}

std::string reason_of(const Clause& clause, Truth truth, const Facts& facts) {
  if (truth == Truth::unknown) return clause.fact + " is not known";
  const std::string value = value_text(facts.at(clause.fact));
  const std::string expected = expected_text(clause);
  const std::string is_value = clause.fact + " is " + value;
  if (truth == Truth::no) return is_value + ", not " + expected;
  return value == expected ? is_value : is_value + " (" + expected + ")";
}

using Expected = std::optional<decltype(Clause::expected)>;

Expected refuse(const JsonPlace& clause, const std::string& message) {
  clause.report(message);
  return std::nullopt;
}

Expected read_flag(const JsonPlace& clause) {
  if (clause.value.kind != Json::Kind::boolean)
    return refuse(clause, concat("must be true or false, not ", clause.value.kind_name()));
  return clause.value.boolean;
}

Expected read_range(const JsonPlace& clause, bool may_be_pre_release) {
  if (clause.value.kind != Json::Kind::string)
    return refuse(clause, concat("must be a range in a string, not ", clause.value.kind_name()));
  const std::optional<VersionRange> range = VersionRange::parse(clause.value.string);
  if (!range || (range->names_pre_release() && !may_be_pre_release))
    return refuse(clause, concat(quote(clause.value.string), " is not ", kFormOf<VersionRange>.description));
  return *range;
}

Expected read_names(const JsonPlace& clause) {
  const bool is_list = clause.value.kind == Json::Kind::array;
  const std::vector<Json> items = is_list ? clause.value.items : std::vector<Json>{clause.value};
  std::vector<std::string> names;
  for (const Json& item : items) {
    if (item.kind != Json::Kind::string)
      return refuse(clause, concat("must be a string or a list of strings, not ", item.kind_name()));
    if (!kNameRule.holds(item.string)) return refuse(clause, kNameRule.finding(item.string));
    names.push_back(item.string);
  }
  return names.empty() ? refuse(clause, "must not be empty") : Expected(names);
}

Expected read_expected(const std::string& fact, FactKind kind, const JsonPlace& clause) {
  switch (kind) {
    case FactKind::boolean:
      return read_flag(clause);
    case FactKind::integer:
    case FactKind::version:
      return read_range(clause, fact == "release");
    case FactKind::text:
    case FactKind::list:
      break;
  }
  return read_names(clause);
}

/// Returns the clause as shown in reasons: "registers_per_block <65536", "arch aarch64 or armv7l".
std::string clause_text(const std::string& fact, FactKind kind, const decltype(Clause::expected)& expected) {
  if (const bool* flag = std::get_if<bool>(&expected)) return concat(fact, *flag ? " true" : " false");
  if (const VersionRange* range = std::get_if<VersionRange>(&expected)) return concat(fact, ' ', range->text());
  return concat(fact, ' ',
                join(std::get<std::vector<std::string>>(expected), kind == FactKind::list ? " and " : " or "));
}

void report_unknown_fact(const JsonPlace& clause, const std::string& fact) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : known_facts()) names.push_back(name);
  const std::string hint = did_you_mean(fact, names);
  refuse(clause, concat("unknown fact ", quote(fact), hint.empty() ? "" : "; ", hint));
}

struct ExpectedJson {
  Json operator()(bool flag) const { return flag; }
  Json operator()(const VersionRange& range) const { return range.text(); }
  Json operator()(const std::vector<std::string>& texts) const {
    return texts.size() == 1 ? Json(texts.front()) : Json(texts);
  }
};

}  // namespace

Json ConditionForm::json() const {
  Json object = Json::object();
  for (const Clause& clause : condition) object[clause.fact] = std::visit(ExpectedJson{}, clause.expected);
  return object;
}

void ConditionForm::read(const JsonPlace& place) const {
  if (!place.is(Json::Kind::object)) return;
  for (const auto& [fact, value] : place.value.members) {
    const JsonPlace clause{value, place.file, concat(place.path, '.', fact), place.findings};
    const auto known = known_facts().find(fact);
    if (known == known_facts().end())
      report_unknown_fact(clause, fact);
    else if (const Expected expected = read_expected(fact, known->second, clause))
      condition.push_back({fact, *expected, clause_text(fact, known->second, *expected)});
  }
}

const TextRule kSeverityRule{"one of build-failure, runtime-failure, silent-wrong-results, limitation",
                             [](std::string_view text) {
                               return text == "build-failure" || text == "runtime-failure" ||
                                      text == "silent-wrong-results" || text == "limitation";
                             },
                             "^(build-failure|runtime-failure|silent-wrong-results|limitation)$"};

bool holds(const Facts& facts, const std::string& flag) {
  const auto fact = facts.find(flag);
  return fact != facts.end() && fact->second == FactValue(true);
}

const Version* version_of(const Facts& facts, const std::string& name) {
  const auto fact = facts.find(name);
  return fact == facts.end() ? nullptr : std::get_if<Version>(&fact->second);
}

const std::map<std::string, FactKind>& known_facts() {
  static const std::map<std::string, FactKind> kFacts = {
      {"arch", FactKind::text},
      {"bits", FactKind::integer},
      {"cmake", FactKind::version},
      {"components", FactKind::list},
      {"compute_capability", FactKind::version},
      {"cross", FactKind::boolean},
      {"cuda", FactKind::version},
      {"cudnn", FactKind::version},
      {"distributed", FactKind::boolean},
      {"gcc", FactKind::version},
      {"glibc", FactKind::version},
      {"gpu", FactKind::boolean},
      {"has", FactKind::list},
      {"lacks", FactKind::list},
      {"memory_mib", FactKind::integer},
      {"os", FactKind::text},
      {"python", FactKind::version},
      {"registers_per_block", FactKind::integer},
      {"release", FactKind::version},
  };
  return kFacts;
}

Verdict evaluate(const Condition& condition, const Facts& facts) {
  Verdict verdict;
  for (const Clause& clause : condition) verdict.truth = std::min(verdict.truth, truth_of(clause, facts));
  for (const Clause& clause : condition) {
    const Truth truth = truth_of(clause, facts);
    if (truth == verdict.truth) verdict.reasons.push_back(reason_of(clause, truth, facts));
  }
  return verdict;
}

bool affects(const Issue& issue, const Version& release) {
  return std::any_of(issue.releases.begin(), issue.releases.end(),
                     [&](const VersionRange& range) { return range.contains(release); });
}

bool is_to_act_on(const Issue& issue) {
  static const std::set<std::string> kKinds = {"arch", "components", "distributed", "gpu", "release"};
  if (issue.severity == "limitation") return false;
  const Version end = *Version::parse("999999999");
  return std::ranges::none_of(issue.releases, [&](const VersionRange& range) { return range.contains(end); }) ||
         std::ranges::any_of(issue.when, [](const Clause& clause) { return !kKinds.contains(clause.fact); });
}

void check_fields(ObjectReader& reader, const Fix& fix) {
  if (reader.is_reported("kind")) return;
  const bool has_patchset = fix.kind == FixKind::patch || fix.kind == FixKind::files;
  const bool needs_commands = fix.kind == FixKind::post_build;
  const bool may_have_commands = needs_commands || fix.kind == FixKind::files;
  const std::string kind = concat("a fix of kind ", name_of(fix.kind));
  if (has_patchset != !fix.patchset.empty())
    reader.report("patchset", concat(kind, has_patchset ? " needs a patchset" : " has no patchset"));
  if (needs_commands && fix.commands.empty()) reader.report("commands", concat(kind, " needs commands"));
  if (!may_have_commands && !fix.commands.empty()) reader.report("commands", concat(kind, " has no commands"));
  if (fix.kind == FixKind::environment && fix.environment.empty())
    reader.report("environment", concat(kind, " needs at least one variable"));
}

}  // namespace torchpatch
