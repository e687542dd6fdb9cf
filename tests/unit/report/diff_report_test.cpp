// SPDX-License-Identifier: BSD-3-Clause
#include "document/text.h"
#include "report/reports.h"

#include "support/catch.h"
#include "support/json.h"
#include "unit/report/golden.h"

namespace torchpatch::report {
namespace {

/// An entry of each form.
DiffReport compared() {
  const ObjectId tree = *ObjectId::parse(std::string(40, 'a'));
  DiffReport report{{"out-1", "tree", "1.1.0", "tx2", "jetpack-3.3", true, {}, tree},
                    {"1.5.0:tx2", "plan", "1.5.0", "tx2", "jetpack-3.3", false, {}, {}},
                    {},
                    {"a plan has no submodules, trees or files: they were not compared"}};
  report.entries = {
      {DiffLevel::file, "pytorch/a\nb", "mode", "blob 1", "executable, blob 1"},
      {DiffLevel::file, "torch", "base-tree", "without the patches the files make another tree than they should", ""},
      {DiffLevel::request, "release", "changed", "1.1.0", "1.5.0", {}, {}, "asked for"},
      {DiffLevel::pin, "torch", "changed", std::string(40, '1'), std::string(40, '2'), {}, {}, "pinned by a release"},
      {DiffLevel::patch,
       "nccl in torch",
       "only_in_a",
       "1.1, *sha256*",
       "",
       {"nccl-link"},
       {"nccl 1.1"},
       "issue nccl-link"},
      {DiffLevel::warning, "take care", "only_in_b", "", "", {}, {}, "what was asked for differs"},
      {DiffLevel::file, "vision", "changed", "", "", {}, {}, "pinned by a release", DiffCounts{1, 0, 20}}};
  return report;
}

TEST_CASE("diff_report: text, JSON and Markdown have the documented form") {
  const DiffReport report = compared();
  const std::string json = report_json(to_json(report, JsonForm::report));
  test::check_golden("diff.txt", document_text(diff_document(report)));
  test::check_golden("diff.json", json);
  test::check_golden("diff.md", document_markdown(diff_document(report)));
  Findings findings;
  CHECK(parse_json(json, "diff.json", 1, findings).has_value());
  CHECK(findings.empty());
}

TEST_CASE("diff_report: without a difference") {
  DiffReport report = compared();
  report.entries.clear();
  CHECK_THAT(document_text(diff_document(report)), Catch::EndsWith("compared\n\nno difference\n"));
  CHECK_THAT(report_json(to_json(report, JsonForm::report)), Catch::Contains("\"equal\": true"));
  CHECK_THAT(document_markdown(diff_document(report)), Catch::EndsWith("\n## no difference\n"));
}

}  // namespace
}  // namespace torchpatch::report
