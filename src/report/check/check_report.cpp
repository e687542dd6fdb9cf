// SPDX-License-Identifier: BSD-3-Clause
// The elements that Jenkins, GitLab and GitHub's actions read: testsuites, testsuite, testcase, failure, error,
// skipped.
#include "report/check/check_report.h"

#include <algorithm>

#include "document/html.h"
#include "report/reports.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

struct Suite {
  std::string name;
  std::string cases;
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

using CellRange = std::pair<const CheckCell*, const CheckCell*>;

/// Lines "status issue: reason" of the cells of a status.
std::vector<std::string> lines_of(const CellRange& cells, CellStatus status) {
  std::vector<std::string> lines;
  for (const CheckCell* cell = cells.first; cell != cells.second; ++cell)
    if (cell->status == status) lines.push_back(xml_text(concat(cell->issue, ": ", cell->reason)));
  return lines;
}

std::string outcome(const char* element, const char* meaning, const std::vector<std::string>& lines) {
  return concat("      <", element, " message=\"", lines.size(), " ", meaning, "\">", join(lines, "\n"), "</", element,
                ">\n");
}

/// A case of one board and image. What is uncertified or undecided counts as skipped: it was not checked.
void add_case(const CellRange& cells, Suite& suite) {
  const auto broken = lines_of(cells, CellStatus::broken);
  const auto uncertified = lines_of(cells, CellStatus::uncertified);
  const auto undecided = lines_of(cells, CellStatus::undecided);
  ++suite.tests;
  suite.cases += concat("    <testcase classname=\"", xml_text(suite.name), "\" name=\"",
                        xml_text(concat(cells.first->board, " ", cells.first->image)), "\">\n");
  if (!broken.empty()) {
    ++suite.failures;
    suite.cases += outcome("failure", "broken", broken);
  } else if (!uncertified.empty()) {
    ++suite.skipped;
    suite.cases += outcome("skipped", "uncertified", uncertified);
  } else if (!undecided.empty()) {
    ++suite.skipped;
    suite.cases += outcome("skipped", "undecided", undecided);
  }
  suite.cases += "    </testcase>\n";
}

Suite data_suite(const CheckReport& report) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) lines.push_back(xml_text(finding.text()));
  for (const WrongCitation& wrong : report.citations.wrong) lines.push_back(xml_text(wrong.text()));
  Suite suite{"catalog", "", 1, lines.empty() ? 0u : 1u, report.missing.empty() ? 0u : 1u, 0};
  suite.tests += suite.errors;
  suite.cases = "    <testcase classname=\"catalog\" name=\"data\">\n";
  if (!lines.empty()) suite.cases += outcome("failure", "findings", lines);
  suite.cases += "    </testcase>\n";
  if (report.missing.empty()) return suite;
  lines.clear();
  for (const MissingCommit& each : report.missing) lines.push_back(xml_text(each.release + ": " + each.text));
  suite.cases += "    <testcase classname=\"catalog\" name=\"sources\">\n" + outcome("error", "missing", lines) +
                 "    </testcase>\n";
  return suite;
}

std::vector<Suite> suites_of(const CheckReport& report) {
  std::vector<Suite> suites = {data_suite(report)};
  const CheckCell* const end = report.cells.data() + report.cells.size();
  for (const CheckCell* first = report.cells.data(); first != end;) {
    const CheckCell* last = std::find_if(first, end, [&](const CheckCell& cell) {
      return cell.release != first->release || cell.board != first->board || cell.image != first->image;
    });
    const std::string name = "torch " + first->release;
    if (suites.back().name != name) suites.push_back({name, "", 0, 0, 0, 0});
    add_case({first, last}, suites.back());
    first = last;
  }
  return suites;
}

std::string attributes(const Suite& suite) {
  return concat(" name=\"", xml_text(suite.name), "\" tests=\"", suite.tests, "\" failures=\"", suite.failures,
                "\" errors=\"", suite.errors, "\"");
}

}  // namespace

std::string check_json(const CheckReport& report) {
  // There are hundreds of thousands of cells: one a line.
  std::string text = report_json(to_json(report, JsonForm::report));
  const std::string rest = "]\n}\n";
  text.resize(text.size() - rest.size());
  const char* separator = "\n    ";
  for (const CheckCell& cell : report.cells) {
    text += separator + indented_json(to_json(cell, JsonForm::report), -1);
    separator = ",\n    ";
  }
  return text + (report.cells.empty() ? rest : "\n  " + rest);
}

std::string check_junit(const CheckReport& report) {
  Suite all{"torchpatch check", "", 0, 0, 0, 0};
  std::string body;
  for (const Suite& suite : suites_of(report)) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    body += concat("  <testsuite", attributes(suite), " skipped=\"", suite.skipped, "\">\n", suite.cases,
                   "  </testsuite>\n");
  }
  return concat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", attributes(all), ">\n", body,
                "</testsuites>\n");
}

}  // namespace torchpatch::report
