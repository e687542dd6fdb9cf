// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

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

/// Returns the CPU features that compiler flags depend on, by Linux's names; --json has all.
std::vector<std::string> telling_features(const HostFacts& host) {
  std::vector<std::string> features;
  for (const char* name : {"neon", "vfpv4", "asimd", "atomics", "asimdhp", "asimddp", "sve", "sve2", "i8mm", "bf16",
                           "avx", "avx2", "avx512f"})
    if (std::ranges::count(host.cpu_features, name) > 0) features.emplace_back(name);
  return features;
}

std::string jobs_text(const DoctorReport& report) {
  if (!report.max_jobs) return "MAX_JOBS: memory or number of CPUs unknown";
  return concat("MAX_JOBS=", *report.max_jobs, " (rule of thumb: one compile job for every ", report.mib_per_job,
                " MiB of memory and swap, at most one per CPU)");
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
  const std::string name = name_of(verdict);
  const std::size_t underscore = name.find('_');
  return underscore == std::string::npos ? name : concat(name.substr(0, underscore), " ", name.substr(underscore + 1));
}

/// Returns "FAIL gcc: found 12.2.0, need <11 (release 1.1.0)", followed by details and what to do.
Line check_lines(const HostCheck& check) {
  const bool is_ok = check.verdict == HostVerdict::ok, is_missing = check.verdict == HostVerdict::missing;
  const std::string found = !is_missing && !check.found.empty() ? concat("found ", check.found)
                            : is_ok                             ? "found"
                            : is_missing                        ? "not found"
                                                                : in_words(check.verdict);
  std::vector<Line> lines = {
      {is_ok         ? toned("OK  ", Tone::good)
       : check.fails ? toned("FAIL", Tone::bad)
                     : toned("WARN", Tone::caution),
       text(concat(" ", check.name, ": ", found, ", need ", check.bound, " (", check.source, ")"))}};
  if (!check.issue.empty()) lines.push_back({text("known issue " + check.issue)});
  if (!check.shows.empty()) lines.push_back({text("symptom: " + check.shows)});
  if (!check.advice.empty()) lines.push_back({text("do: " + check.advice)});
  return stacked(lines);
}

Line issue_lines(const HostIssue& issue) {
  std::vector<Line> lines = {{text(concat(issue.id, ": ", issue.title))}, {text(issue.reason)}};
  const bool concerns_user = issue.outcome == IssueOutcome::fails || issue.outcome == IssueOutcome::by_hand;
  if (concerns_user && !issue.shows.empty()) lines.push_back({text("symptom: " + issue.shows)});
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
  add_section(page.blocks, "checks", {std::move(checks)});
  for (const InstallCommand& each : report.install)
    add_section(page.blocks, concat("to install what is missing, as ", each.user == "root" ? "root" : "this user"),
                {plain_items({each.command})});
  add_issues(report, IssueOutcome::fails, "issues that make a build on this host fail", page.blocks);
  add_issues(report, IssueOutcome::by_hand, "issues that need your attention", page.blocks);
  add_issues(report, IssueOutcome::undecided, "undecided issues (a fact is unknown)", page.blocks);
  add_issues(report, IssueOutcome::handled, "issues that the prepared tree and its build.env fix", page.blocks);
  const std::size_t count = count_failures(report);
  page.blocks.push_back(Heading{2, count == 0 ? "OK, no known problem" : counted(count, "thing") + " will fail"});
  return page;
}

}  // namespace torchpatch::report
