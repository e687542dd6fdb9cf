// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "record/json.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json host_tools_json(const HostFacts& host) {
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
          {"disk_mib", or_null(host.disk_mib)},      {"tools", host_tools_json(host)}};
}

Json host_check_json(const HostCheck& check) {
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

Json host_issue_json(const HostIssue& issue) {
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

std::string or_unknown(const std::string& text) { return text.empty() ? "unknown" : text; }

std::string mib_text(const std::optional<std::int64_t>& mib) {
  return mib ? concat(*mib, " MiB") : std::string("unknown");
}

std::string tools_text(const HostFacts& host) {
  std::vector<std::string> parts;
  for (const auto& [name, tool] : host.tools)
    parts.push_back(concat(name, " ", tool.version ? tool.version->text() : tool.is_missing ? "none" : "unknown"));
  return join(parts, ", ");
}

/// The features that flags for a CPU are about, as Linux names them; --json has all.
std::vector<std::string> telling_features(const HostFacts& host) {
  std::vector<std::string> features;
  for (const char* name : {"neon", "vfpv4", "asimd", "atomics", "asimdhp", "asimddp", "sve", "sve2", "i8mm", "bf16",
                           "avx", "avx2", "avx512f"})
    if (std::find(host.cpu_features.begin(), host.cpu_features.end(), name) != host.cpu_features.end())
      features.emplace_back(name);
  return features;
}

std::string jobs_text(const DoctorReport& report) {
  if (!report.max_jobs) return "MAX_JOBS: memory or processors are not known";
  return concat("MAX_JOBS=", *report.max_jobs, " (rule of thumb: one compile job for every ", report.mib_per_job,
                " MiB of memory and swap, at most one a processor)");
}

Terms host_facts(const DoctorReport& report) {
  const HostFacts& host = report.host;
  const std::string processors = host.processors ? std::to_string(*host.processors) : "unknown";
  return {{{"system", said(concat(or_unknown(host.arch), ", ", or_unknown(host.os), ", ", processors, " processors"))},
           {"memory", said(concat(mib_text(host.memory_mib), ", swap ", mib_text(host.swap_mib), ", free disk ",
                                  mib_text(host.disk_mib)))},
           {"tools", said(tools_text(host))},
           {"CPU", said(join(telling_features(host), " "))},
           {"jobs", said(jobs_text(report))}}};
}

std::string in_words(HostVerdict verdict) {
  const std::string name = host_verdict_name(verdict);
  const std::size_t underscore = name.find('_');
  return underscore == std::string::npos ? name : concat(name.substr(0, underscore), " ", name.substr(underscore + 1));
}

/// "FAIL gcc 12.2.0: too new (wanted: <11, release 1.1.0)", and below it what is to know and to do.
Line check_lines(const HostCheck& check) {
  const bool is_ok = check.verdict == HostVerdict::ok, is_missing = check.verdict == HostVerdict::missing;
  const std::string found = is_missing || check.found.empty() ? "" : " " + check.found;
  const std::string verdict = is_ok ? "" : is_missing ? ": not found here" : ": " + in_words(check.verdict);
  std::vector<Line> lines = {
      {is_ok         ? toned("OK  ", Tone::good)
       : check.fails ? toned("FAIL", Tone::bad)
                     : toned("WARN", Tone::caution),
       text(concat(" ", check.name, found, verdict, " (wanted: ", check.bound, ", ", check.source, ")"))}};
  if (!check.issue.empty()) lines.push_back({text("known issue " + check.issue)});
  if (!check.shows.empty()) lines.push_back({text("shows as: " + check.shows)});
  if (!check.advice.empty()) lines.push_back({text("do: " + check.advice)});
  return stacked(lines);
}

Line issue_lines(const HostIssue& issue) {
  std::vector<Line> lines = {{text(concat(issue.id, ": ", issue.title))}, {text(issue.reason)}};
  const bool concerns_user = issue.outcome == IssueOutcome::fails || issue.outcome == IssueOutcome::by_hand;
  if (concerns_user && !issue.shows.empty()) lines.push_back({text("shows as: " + issue.shows)});
  if (!issue.fix.empty()) {
    const std::string what = issue.kind == FixKind::advice ? "do" : fix_text(issue.kind, issue.fix, "");
    lines.push_back({text(concat(what, ": ", issue.summary))});
  }
  return stacked(lines);
}

void add_issues(const DoctorReport& report, IssueOutcome outcome, const std::string& heading,
                std::vector<Block>& blocks) {
  Items items;
  for (const HostIssue& issue : report.issues)
    if (issue.outcome == outcome && !is_told_by_check(report, issue)) items.items.push_back(issue_lines(issue));
  add_section(blocks, heading, {std::move(items)});
}

}  // namespace

Json doctor_json(const DoctorReport& report) {
  return {{"schema", 1},
          {"ok", count_failures(report) == 0},
          {"release", report.release},
          {"genuine", !report.stand_in.has_value()},
          {"board", record::text_or_null(report.board)},
          {"image", record::text_or_null(report.image)},
          {"host", host_json(report.host)},
          {"checks", record::array_of(report.checks, host_check_json)},
          {"issues", record::array_of(report.issues, host_issue_json)},
          {"max_jobs", or_null(report.max_jobs)},
          {"mib_per_job", report.mib_per_job},
          {"notes", report.notes}};
}

Document doctor_document(const DoctorReport& report) {
  const std::string target =
      report.board.empty() ? report.release : target_text(report.release, report.board, report.image);
  Document page{.title = concat("PyTorch ", target, ", built on this host"), .blocks = {host_facts(report)}};
  std::vector<std::string> notes;
  if (report.stand_in) notes.push_back("note: " + stand_in_text(*report.stand_in));
  for (const std::string& note : report.notes) notes.push_back("note: " + note);
  page.blocks.push_back(plain_items(notes));
  Items checks;
  for (const HostCheck& check : report.checks) checks.items.push_back(check_lines(check));
  add_section(page.blocks, "checks of this host", {std::move(checks)});
  add_issues(report, IssueOutcome::fails, "issues that make a build on this host fail", page.blocks);
  add_issues(report, IssueOutcome::by_hand, "issues to know of, or to answer by hand", page.blocks);
  add_issues(report, IssueOutcome::undecided, "undecided issues (a fact is unknown)", page.blocks);
  add_issues(report, IssueOutcome::handled, "issues that a prepared tree and its build.env answer", page.blocks);
  const std::size_t count = count_failures(report);
  page.blocks.push_back(
      Heading{2, count == 0 ? "nothing is known that will fail here" : counted(count, "thing") + " will fail here"});
  return page;
}

}  // namespace torchpatch::report
