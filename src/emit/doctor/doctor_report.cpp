// SPDX-License-Identifier: BSD-3-Clause
#include "emit/doctor/doctor_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emit/doctor/doctor_text.h"
#include "emit/format/json_text.h"
#include "emit/format/model_json.h"

namespace torchpatch::emit {

namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json tools_json(const HostFacts& host) {
  Json object = Json::object();
  for (const auto& [name, tool] : host.tools) {
    object[name] = {{"version", tool.version ? Json(tool.version->text()) : Json(nullptr)},
                    {"missing", tool.is_missing},
                    {"origin", text_or_null(tool.origin)}};
  }
  return object;
}

Json host_json(const HostFacts& host) {
  return {{"arch", text_or_null(host.arch)},        {"os", text_or_null(host.os)},
          {"cpu_features", host.cpu_features},      {"processors", or_null(host.processors)},
          {"memory_mib", or_null(host.memory_mib)}, {"swap_mib", or_null(host.swap_mib)},
          {"disk_mib", or_null(host.disk_mib)},     {"tools", tools_json(host)}};
}

Json check_json(const HostCheck& check) {
  return {{"name", check.name},
          {"found", text_or_null(check.found)},
          {"bound", check.bound},
          {"source", check.source},
          {"verdict", host_verdict_name(check.verdict)},
          {"fails", check.fails},
          {"issue", text_or_null(check.issue)},
          {"shows", text_or_null(check.shows)},
          {"advice", text_or_null(check.advice)}};
}

Json issue_json(const HostIssue& issue) {
  const bool has_fix = !issue.fix.empty();
  return {{"id", issue.id},
          {"title", issue.title},
          {"severity", issue.severity},
          {"outcome", issue_outcome_name(issue.outcome)},
          {"reason", issue.reason},
          {"shows", text_or_null(issue.shows)},
          {"fix", text_or_null(issue.fix)},
          {"kind", has_fix ? Json(fix_kind_name(issue.kind)) : Json(nullptr)},
          {"summary", text_or_null(issue.summary)}};
}

std::string doctor_json(const DoctorReport& report) {
  Json root = {{"schema", 1},
               {"ok", count_failures(report) == 0},
               {"release", report.release},
               {"genuine", !report.stand_in.has_value()},
               {"board", text_or_null(report.board)},
               {"image", text_or_null(report.image)},
               {"host", host_json(report.host)},
               {"checks", Json::array()},
               {"issues", Json::array()},
               {"max_jobs", or_null(report.max_jobs)},
               {"mib_per_job", report.mib_per_job},
               {"notes", report.notes}};
  for (const HostCheck& check : report.checks) root["checks"].push_back(check_json(check));
  for (const HostIssue& issue : report.issues) root["issues"].push_back(issue_json(issue));
  return report_json(root);
}

}  // namespace

const char* host_verdict_name(HostVerdict verdict) {
  switch (verdict) {
    case HostVerdict::ok:
      return "ok";
    case HostVerdict::too_old:
      return "too_old";
    case HostVerdict::too_new:
      return "too_new";
    case HostVerdict::too_little:
      return "too_little";
    case HostVerdict::differs:
      return "differs";
    case HostVerdict::missing:
      return "missing";
    case HostVerdict::unknown:
      return "unknown";
  }
  return "";
}

const char* issue_outcome_name(IssueOutcome outcome) {
  switch (outcome) {
    case IssueOutcome::fails:
      return "fails";
    case IssueOutcome::by_hand:
      return "by_hand";
    case IssueOutcome::handled:
      return "handled";
    case IssueOutcome::undecided:
      return "undecided";
  }
  return "";
}

bool is_told_by_check(const DoctorReport& report, const HostIssue& issue) {
  return std::any_of(report.checks.begin(), report.checks.end(),
                     [&](const HostCheck& check) { return check.issue == issue.id; });
}

std::size_t count_failures(const DoctorReport& report) {
  const auto checks =
      std::count_if(report.checks.begin(), report.checks.end(), [](const HostCheck& check) { return check.fails; });
  const auto issues = std::count_if(report.issues.begin(), report.issues.end(), [&](const HostIssue& issue) {
    return issue.outcome == IssueOutcome::fails && !is_told_by_check(report, issue);
  });
  return static_cast<std::size_t>(checks + issues);
}

std::string doctor_report(const DoctorReport& report, Format format) {
  return format == Format::json ? doctor_json(report) : doctor_text(report);
}

}  // namespace torchpatch::emit
