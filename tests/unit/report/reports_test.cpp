// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"

#include "document/text.h"
#include "report/audit/audit_report.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/json.h"
#include "unit/report/examples.h"
#include "unit/report/golden.h"

namespace torchpatch::report {
namespace {

using test::check_golden;

/// Compares both forms with golden/<name>.txt and .json, and reads the JSON as strictly as our own files.
void check_both(const std::string& name, const Document& page, const Json& object) {
  const std::string json = report_json(object);
  check_golden(name + ".txt", document_text(page));
  check_golden(name + ".json", json);
  Findings findings;
  CHECK(parse_json(json, name, 1, findings).has_value());
  CHECK(findings.empty());
}

TEST_CASE("plan_report: has the documented form") {
  const Catalog catalog = test::example_catalog();
  const Plan plan = test::example_plan(catalog);
  check_both("plan", plan_document(plan, catalog), to_json(plan, JsonForm::report));
}

TEST_CASE("plan_report: says that a release only stands in for PyTorch") {
  Catalog catalog = test::example_catalog();
  catalog.releases.begin()->second.stand_in = "Made-up files.";
  const Plan plan = test::example_plan(catalog);
  CHECK_THAT(document_text(plan_document(plan, catalog)),
             Catch::Contains("note: this is not PyTorch: Made-up files.\n"));
  CHECK_THAT(report_json(to_json(plan, JsonForm::report)),
             Catch::Contains("\"genuine\": false,\n  \"stand_in\": \"Made-up files.\""));
}

TEST_CASE("plan_report: tells a patch without certificates") {
  const Catalog catalog = test::example_catalog();
  Plan plan = test::example_plan(catalog);
  plan.patches[0].edges.clear();
  CHECK_THAT(document_text(plan_document(plan, catalog)), Catch::Contains("NOT CERTIFIED"));
  CHECK_THAT(report_json(to_json(plan, JsonForm::report)), Catch::Contains("\"is_certified\": false"));
}

TEST_CASE("plan_report: of one issue, says why and what is done") {
  const Catalog catalog = test::example_catalog();
  const Plan plan = test::example_plan(catalog);
  for (const IssueDecision& decision : plan.issues)
    check_golden("plan-" + decision.issue + ".txt", document_text(issue_plan_document(plan, catalog, decision.issue)));
  check_golden("plan-of-issue.json",
               report_json(to_json(plan_of_issue(plan, "cuda-threads-per-block"), JsonForm::report)));
}

TEST_CASE("list_report: lists each kind of entry") {
  const Catalog catalog = test::example_catalog();
  for (const std::string kind : {"releases", "boards", "images", "issues", "fixes", "patchsets", "settings"}) {
    const Listing listing = list_entries(catalog, kind);
    check_both("list-" + kind, listing.page, listing.json);
  }
}

TEST_CASE("list_report: refuses a kind that there is not") {
  CHECK_THROWS_WITH(list_entries({}, "plans"), "listing 'plans': unknown kind of entry");
}

TEST_CASE("show: shows entries in full") {
  const Catalog catalog = test::example_catalog();
  const std::vector<std::pair<std::string, std::string>> entries = {
      {"release", "1.1.0"},        {"board", "tx2"},        {"image", "jetpack-3.3"},
      {"fix", "cap-threads"},      {"setting", "USE_NCCL"}, {"issue", "cuda-threads-per-block"},
      {"patchset", "cuda-threads"}};
  for (const auto& [kind, name] : entries) {
    const Listing entry = show_entry(catalog, kind, name);
    check_both("show-" + kind, entry.page, entry.json);
  }
}

TEST_CASE("prove_report: has the documented form") {
  ProofOutcome proven;
  proven.patchset = "cuda-threads";
  proven.proof = "limits";
  proven.release = *Version::parse("1.1.0");
  proven.variant = "T2";
  proven.before_exit = 1, proven.before_output = "device property 1024\n";
  proven.tools = {{"g++", "g++ 12.2.0"}};
  ProofOutcome not_green = proven, not_red = proven, no_tool = proven;
  not_green.release = *Version::parse("1.2.0");
  not_green.verdict = ProofVerdict::not_green;
  not_green.after_exit = 1, not_green.after_output = "device property 512\nKernelUtils.h 1024\n";
  not_red.patchset = "nccl-default";
  not_red.verdict = ProofVerdict::not_red;
  not_red.before_exit = 2, not_red.before_output = "no module named 'tools'\n";
  no_tool.patchset = "qnnpack";
  no_tool.verdict = ProofVerdict::no_tool;
  no_tool.missing_tools = {"aarch64-linux-gnu-as", "aarch64-linux-gnu-gcc"};
  const ProveReport report = {
      {proven, not_green, not_red, no_tool},
      {{"cuda-threads", ">=1.11.0 <1.14", "its sources are not there"}, {"", "1.3.0", "no commit"}}};
  check_both("prove", prove_document(report), to_json(report, JsonForm::report));
}

VerifyReport example_report() {
  VerifyReport report;
  report.root = "/home/me/out";
  report.manifest = test::example_manifest();
  report.notes = {"certificates are those of the catalog"};
  report.files = 19470;
  report.links = 2;
  report.bytes = 190000000;
  return report;
}

TEST_CASE("verify_report: says that there is no difference") {
  const VerifyReport report = example_report();
  check_both("verify-fine", verify_document(report), to_json(report, JsonForm::report));
}

TEST_CASE("verify_report: tells each difference, a hostile name does not reach the terminal") {
  VerifyReport report = example_report();
  report.differences = {{"", "result", "the tree is not the recorded one"},
                        {"pytorch/a\x1B[2J\n\xFF", "extra", ""},
                        {"pytorch/setup.py", "changed", "blob 1234 instead of 5678"}};
  report.added_by_build = {"pytorch/build/x.o"};
  check_both("verify-differences", verify_document(report), to_json(report, JsonForm::report));
}

TEST_CASE("plain_line: quotes only what would harm a terminal") {
  CHECK(plain_line("it's a \\ \"board\"") == "it's a \\ \"board\"");
  CHECK(plain_line("it's\x1B[2J") == "'it\\'s\\033[2J'");
  CHECK(plain_line("two\nlines") == "'two\\nlines'");
}

TEST_CASE("blocks_text: rows are aligned by characters and have no spaces at the end") {
  const Table rows{{}, {}, plain_rows({{"\xC3\xA9", "b", ""}, {"long", "c"}, {}})};
  CHECK(blocks_text({rows}) == "\xC3\xA9     b\nlong  c\n\n");
}

TEST_CASE("audit: the line of a warning is one of the new file, or said to be a removed one") {
  AuditFile file;
  file.path = "a.c";
  file.hunks = {{{' ', 11, 11, "same", true, {}}, {'-', 12, 0, "gone", true, {}}, {'+', 0, 12, "new", true, {}}},
                {{' ', 20, 20, "same", true, {}}, {'-', 21, 0, "gone", true, {}}}};
  AuditPatch patch;
  patch.files = {file};
  patch.risks = {{"network", "a.c", 12, "it fetches"}, {"unexplained", "a.c", 21, "it is gone"}};
  AuditReport report;
  report.patches = {patch};
  const std::string text = document_text(audit_document(report));
  CHECK_THAT(text, Catch::Contains("network, a.c:12: it fetches\n") &&
                       Catch::Contains("unexplained, a.c:21 (removed, old line): it is gone\n"));
}

}  // namespace
}  // namespace torchpatch::report
