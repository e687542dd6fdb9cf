// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "ops/diff/compare.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

using emit::DiffLevel;

/// What one side has of a thing, and what the other has; null = nothing.
template <typename Value>
using Sides = std::pair<const Value*, const Value*>;

template <typename Value, typename Key>
auto pair_up(const std::vector<Value>& a, const std::vector<Value>& b, Key key) {
  std::map<decltype(key(a.front())), Sides<Value>> pairs;
  for (const Value& value : a) pairs[key(value)].first = &value;
  for (const Value& value : b) pairs[key(value)].second = &value;
  return pairs;
}

template <typename Value, typename Text>
void compare_each(const Sides<Value>& sides, DiffLevel level, const std::string& subject, Text text, const Cause& cause,
                  DiffEntries& entries) {
  const std::string a = sides.first ? text(*sides.first) : "", b = sides.second ? text(*sides.second) : "";
  const char* const change = !sides.second ? "only_in_a" : !sides.first ? "only_in_b" : "changed";
  if (sides.first && sides.second && a == b) return;
  entries.push_back(explained({level, subject, change, a, b}, cause));
}

std::string setting_text(const PlannedSetting& setting) {
  return concat(quote(setting.value), ", by ", setting.origin);
}

/// Each release, board and host sets variables in its own name; that alone is no difference. Neither is where a release
/// reads them.
std::string origin_kind(const PlannedSetting& setting) {
  return starts_with(setting.origin, "issue ") ? setting.origin : setting.origin.substr(0, setting.origin.find(' '));
}

bool is_same(const Sides<PlannedSetting>& sides) {
  return sides.first && sides.second && sides.first->value == sides.second->value &&
         origin_kind(*sides.first) == origin_kind(*sides.second);
}

Cause cause_of_setting(const Sides<PlannedSetting>& sides, const Causes& causes) {
  Cause cause;
  if (sides.first) cause.add(causes.of_origin(sides.first->origin));
  if (sides.second) cause.add(causes.of_origin(sides.second->origin));
  return cause;
}

void compare_environment(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const auto key = [](const PlannedSetting& setting) {
    return setting.name + (setting.component ? concat(" of ", component_name(*setting.component)) : "");
  };
  for (const auto& [name, sides] : pair_up(a.environment, b.environment, key)) {
    if (is_same(sides)) continue;
    compare_each(sides, DiffLevel::setting, name, setting_text, cause_of_setting(sides, causes), entries);
  }
}

void compare_tool_bounds(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  using Bound = std::pair<std::string, std::string>;
  const Cause cause = causes.of_origin("release " + a.release);
  const auto pairs = pair_up(a.tool_bounds, b.tool_bounds, [](const Bound& bound) { return bound.first; });
  for (const auto& [tool, sides] : pairs) {
    compare_each(
        sides, DiffLevel::tool_bound, tool, [](const Bound& bound) { return bound.second; }, cause, entries);
  }
}

/// Reasons name the facts of each side; they explain a difference, and are none.
std::string decision_text(const IssueDecision& decision) {
  std::string out = issue_status_name(decision.status);
  if (!decision.fix.empty()) out += concat(", fix ", decision.fix);
  if (!decision.variant.empty()) out += concat(", variant ", decision.variant);
  return out;
}

Cause cause_of_decision(const Sides<IssueDecision>& sides) {
  const auto& [a, b] = sides;
  if (!a || !b) return {{}, {}, "the catalogs differ"};
  return {{a->issue}, {}, a->reason == b->reason ? a->reason : concat("A: ", a->reason, "; B: ", b->reason)};
}

void compare_issues(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const auto pairs = pair_up(a.issues, b.issues, [](const IssueDecision& decision) { return decision.issue; });
  for (const auto& [issue, sides] : pairs) {
    const Cause cause = causes.of_premises() ? cause_of_decision(sides) : Cause{};
    compare_each(sides, DiffLevel::issue, issue, decision_text, cause, entries);
  }
}

void compare_warnings(const Manifest& a, const Manifest& b, const Causes& causes, DiffEntries& entries) {
  const auto pairs = pair_up(a.warnings, b.warnings, [](const std::string& warning) { return warning; });
  for (const auto& [warning, sides] : pairs) {
    compare_each(
        sides, DiffLevel::warning, warning, [](const std::string&) { return std::string(); }, causes.of_premises(),
        entries);
  }
}

}  // namespace

DiffEntries compare_settings(const DiffInput& a, const DiffInput& b, const Causes& causes) {
  DiffEntries entries;
  compare_environment(a.manifest, b.manifest, causes, entries);
  compare_tool_bounds(a.manifest, b.manifest, causes, entries);
  compare_issues(a.manifest, b.manifest, causes, entries);
  compare_warnings(a.manifest, b.manifest, causes, entries);
  return entries;
}

}  // namespace torchpatch::ops
