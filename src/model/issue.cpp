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

/// Returns whether a known value meets what a clause expects; the loader and --set see to it that their kinds fit.
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
  throw Error(ErrorKind::internal, "the fact " + quote(clause.fact) + " is not of the kind its condition expects");
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

/// Returns the part of a clause's text behind the fact's name: "<65536".
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

}  // namespace

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
  for (const Clause& clause : condition.clauses) verdict.truth = std::min(verdict.truth, truth_of(clause, facts));
  for (const Clause& clause : condition.clauses) {
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
         std::ranges::any_of(issue.when.clauses, [](const Clause& clause) { return !kKinds.contains(clause.fact); });
}

}  // namespace torchpatch
