// SPDX-License-Identifier: BSD-3-Clause
#include "report/doctor.h"

#include <algorithm>

#include "document/text.h"
#include "record/json.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json tools_json(const HostFacts& host) {
  Json object = Json::object();
  for (const auto& [name, tool] : host.tools) {
    object[name] = {{"version", tool.version ? Json(tool.version->text()) : Json(nullptr)},
                    {"missing", tool.is_missing},
                    {"origin", record::text_or_null(tool.origin)}};
  }
  return object;
}

Json host_json(const HostFacts& host) {
  return {{"arch", record::text_or_null(host.arch)}, {"os", record::text_or_null(host.os)},
          {"cpu_features", host.cpu_features},       {"processors", or_null(host.processors)},
          {"memory_mib", or_null(host.memory_mib)},  {"swap_mib", or_null(host.swap_mib)},
          {"disk_mib", or_null(host.disk_mib)},      {"tools", tools_json(host)}};
}

Json check_json(const HostCheck& check) {
  return {{"name", check.name},
          {"found", record::text_or_null(check.found)},
          {"bound", check.bound},
          {"source", check.source},
          {"verdict", host_verdict_name(check.verdict)},
          {"fails", check.fails},
          {"issue", record::text_or_null(check.issue)},
          {"shows", record::text_or_null(check.shows)},
          {"advice", record::text_or_null(check.advice)}};
}

Json issue_json(const HostIssue& issue) {
  const bool has_fix = !issue.fix.empty();
  return {{"id", issue.id},
          {"title", issue.title},
          {"severity", issue.severity},
          {"outcome", issue_outcome_name(issue.outcome)},
          {"reason", issue.reason},
          {"shows", record::text_or_null(issue.shows)},
          {"fix", record::text_or_null(issue.fix)},
          {"kind", has_fix ? Json(fix_kind_name(issue.kind)) : Json(nullptr)},
          {"summary", record::text_or_null(issue.summary)}};
}

std::string doctor_json(const DoctorReport& report) {
  Json root = {{"schema", 1},
               {"ok", count_failures(report) == 0},
               {"release", report.release},
               {"genuine", !report.stand_in.has_value()},
               {"board", record::text_or_null(report.board)},
               {"image", record::text_or_null(report.image)},
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

std::string or_unknown(const std::string& text) { return text.empty() ? "unknown" : plain_line(text); }

std::string mib_text(const std::optional<std::int64_t>& mib) {
  return mib ? concat(*mib, " MiB") : std::string("unknown");
}

std::string tools_text(const HostFacts& host) {
  std::vector<std::string> parts;
  for (const auto& [name, tool] : host.tools) {
    parts.push_back(concat(name, " ", tool.version ? tool.version->text() : tool.is_missing ? "none" : "unknown"));
  }
  return join(parts, ", ");
}

/// The features that flags for a CPU are about, as Linux names them; --json has all.
std::vector<std::string> telling_features(const HostFacts& host) {
  std::vector<std::string> features;
  for (const char* name : {"neon", "vfpv4", "asimd", "atomics", "asimdhp", "asimddp", "sve", "sve2", "i8mm", "bf16",
                           "avx", "avx2", "avx512f"}) {
    if (std::find(host.cpu_features.begin(), host.cpu_features.end(), name) != host.cpu_features.end()) {
      features.emplace_back(name);
    }
  }
  return features;
}

std::string head_text(const DoctorReport& report) {
  const HostFacts& host = report.host;
  std::string out = concat("PyTorch ", report.release);
  if (!report.board.empty()) out += concat(" for ", report.board, " (", report.image, ")");
  out += concat(", built on this host\n  system   ", or_unknown(host.arch), ", ", or_unknown(host.os), ", ",
                host.processors ? std::to_string(*host.processors) : "unknown", " processors\n  memory   ",
                mib_text(host.memory_mib), ", swap ", mib_text(host.swap_mib), ", free disk ", mib_text(host.disk_mib),
                "\n  tools    ", tools_text(host), "\n");
  const std::string features = join(telling_features(host), " ");
  if (!features.empty()) out += concat("  CPU      ", features, "\n");
  if (report.stand_in) out += concat("note: this is not PyTorch: ", plain_line(*report.stand_in), "\n");
  for (const std::string& note : report.notes) out += concat("note: ", plain_line(note), "\n");
  return out;
}

std::string in_words(HostVerdict verdict) {
  const std::string name = host_verdict_name(verdict);
  const std::size_t underscore = name.find('_');
  return underscore == std::string::npos ? name : concat(name.substr(0, underscore), " ", name.substr(underscore + 1));
}

/// "FAIL gcc 12.2.0: too new (wanted: <11, release 1.1.0)"
std::string check_line(const HostCheck& check) {
  const std::string wanted = concat(" (wanted: ", check.bound, ", ", check.source, ")\n");
  if (check.verdict == HostVerdict::ok) return concat("OK   ", check.name, " ", plain_line(check.found), wanted);
  const std::string mark = check.fails ? "FAIL " : "WARN ";
  if (check.verdict == HostVerdict::missing) return concat(mark, check.name, ": not found here", wanted);
  const std::string found = check.found.empty() ? "" : " " + plain_line(check.found);
  return concat(mark, check.name, found, ": ", in_words(check.verdict), wanted);
}

std::string check_text(const HostCheck& check) {
  std::string out = check_line(check);
  if (!check.issue.empty()) out += concat("       known issue ", check.issue, "\n");
  if (!check.shows.empty()) out += concat("       shows as: ", plain_line(check.shows), "\n");
  if (!check.advice.empty()) out += concat("       do: ", plain_line(check.advice), "\n");
  return out;
}

std::string checks_text(const DoctorReport& report) {
  std::string out = "\n";
  for (const HostCheck& check : report.checks) out += check_text(check);
  return out;
}

std::string issue_text(const HostIssue& issue) {
  std::string out = concat("  ", issue.id, ": ", plain_line(issue.title), "\n      ", plain_line(issue.reason), "\n");
  const bool concerns_user = issue.outcome == IssueOutcome::fails || issue.outcome == IssueOutcome::by_hand;
  if (concerns_user && !issue.shows.empty()) out += concat("      shows as: ", plain_line(issue.shows), "\n");
  if (issue.fix.empty()) return out;
  const std::string what = issue.kind == FixKind::advice ? "do" : concat(fix_kind_name(issue.kind), " ", issue.fix);
  return concat(out, "      ", what, ": ", plain_line(issue.summary), "\n");
}

std::string issues_text(const DoctorReport& report, IssueOutcome outcome, const std::string& heading) {
  std::string out;
  for (const HostIssue& issue : report.issues) {
    if (issue.outcome == outcome && !is_told_by_check(report, issue)) out += issue_text(issue);
  }
  return out.empty() ? out : concat("\n", heading, "\n", out);
}

std::string jobs_text(const DoctorReport& report) {
  if (!report.max_jobs) return "\nMAX_JOBS: memory or processors are not known\n";
  return concat("\nMAX_JOBS=", *report.max_jobs, " (rule of thumb: one compile job for every ", report.mib_per_job,
                " MiB of memory and swap, at most one a processor)\n");
}

std::string verdict_text(const DoctorReport& report) {
  const std::size_t count = count_failures(report);
  if (count == 0) return "nothing is known that will fail here\n";
  return concat(count, count == 1 ? " thing" : " things", " will fail here\n");
}

}  // namespace

std::string doctor_report(const DoctorReport& report, Format format) {
  return format == Format::json ? doctor_json(report) : doctor_text(report);
}

std::string doctor_text(const DoctorReport& report) {
  return concat(head_text(report), checks_text(report),
                issues_text(report, IssueOutcome::fails, "issues that make a build on this host fail"),
                issues_text(report, IssueOutcome::by_hand, "issues to know of, or to answer by hand"),
                issues_text(report, IssueOutcome::undecided, "undecided issues (a fact is unknown)"),
                issues_text(report, IssueOutcome::handled, "issues that a prepared tree and its build.env answer"),
                jobs_text(report), verdict_text(report));
}

}  // namespace torchpatch::report
