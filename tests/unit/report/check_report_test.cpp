// SPDX-License-Identifier: BSD-3-Clause
#include "report/check/check_report.h"

#include "document/html.h"
#include "document/text.h"
#include "support/catch.h"
#include "support/text.h"
#include "unit/report/golden.h"

using namespace torchpatch;
namespace {

/// One cell of every status, a board without a fitting image, a finding and a commit that is nowhere.
CheckReport checked() {
  CheckReport report;
  report.has_sources = true;
  report.releases = {"1.6.0", "1.10.2"};
  report.boards = {"pi", "tx2"};
  const auto add = [&](const char* release, const char* board, const char* issue, CellStatus status,
                       const char* reason) {
    report.cells.push_back({release, board, "one", issue, status, "", "", reason});
  };
  add("1.6.0", "pi", "loud", CellStatus::environment, "arch is 'armv7l'");
  add("1.6.0", "pi", "slow", CellStatus::advice, "memory_mib is 1024");
  add("1.6.0", "tx2", "added", CellStatus::files, "release 1.6.0 is in *");
  add("1.6.0", "tx2", "capped", CellStatus::applied, "registers_per_block is 32768");
  report.cells.back().fix = "cap";
  report.cells.back().variant = "T2";
  add("1.6.0", "tx2", "loud", CellStatus::not_affected, "arch is 'aarch64', not 'armv7l'");
  add("1.10.2", "tx2", "added", CellStatus::uncertified, "variant V: no certificate");
  add("1.10.2", "tx2", "capped", CellStatus::broken, "conflict: 'a<b>.h', hunk 1: line 3 is \"x & y\"");
  add("1.10.2", "tx2", "loud", CellStatus::undecided, "gcc is unknown");
  add("1.10.2", "tx2", "slow", CellStatus::fixed_upstream, "fixed upstream: 'torch:a.h' is 1111");
  report.findings = {{"boards/pi.json", 3, "arhc", "unknown key"}};
  report.missing = {{"1.10.2", "torch:third_party/x: commit 2222 is in no folder", false}};
  report.left = {{"1.6.0", {"cuda", "python, date"}, {"capped"}}, {"1.10.2", {}, {"added", "capped", "loud"}}};
  return report;
}

}  // namespace

/// The page without its style sheet, which has tests of its own.
std::string without_style(std::string html) {
  const auto erase = [&html](const std::string& from, const std::string& to) {
    const std::size_t begin = html.find(from), end = html.find(to, begin);
    REQUIRE(end != std::string::npos);
    html.erase(begin + from.size(), end - begin - from.size());
  };
  erase("<style>", "</style>");
  erase("sha256-", "'");
  return html;
}

TEST_CASE("check_report: has the documented forms") {
  const CheckReport report = checked();
  test::check_golden("check.txt", document_text(report::check_document(report)));
  test::check_golden("check.json", report::check_json(report));
  test::check_golden("check.junit.xml", report::check_junit(report));
  test::check_golden("check.svg", report::check_svg(report));
  test::check_golden("check.html", without_style(report::check_html(report)));
}

TEST_CASE("check_report: what fails has one word in every form") {
  const CheckReport report = checked();
  for (const CellStatus status : {CellStatus::broken, CellStatus::uncertified, CellStatus::undecided}) {
    const std::string word = name_of(status);
    CheckReport alone = report;  // of this status alone: the counts, which name them all, do not help
    std::erase_if(alone.cells, [&](const CheckCell& cell) { return cell.status != status; });
    const std::string& issue = alone.cells.front().issue;
    INFO(word);
    CHECK_THAT(report::check_json(alone),
               Catch::Contains(concat("\"issue\":\"", issue, "\",\"status\":\"", word, "\"")));
    CHECK_THAT(document_text(report::check_document(alone)),
               Catch::Contains(concat("1: ", word, " issues (")) && Catch::Contains("\n" + word));
    CHECK_THAT(report::check_html(alone), Catch::Contains(concat("image, 1 ", word, "\">")) &&
                                              Catch::Contains(concat("</span> ", word, " issues (")) &&
                                              Catch::Contains(concat(">", word)));
    CHECK_THAT(report::check_svg(alone), Catch::Contains(concat("image, 1 ", word, "</title>")));
    CHECK_THAT(report::check_junit(alone), Catch::Contains(concat("message=\"1 ", word, "\">", issue)));
  }
}

TEST_CASE("check_report: says that no patch was applied where there were no sources") {
  CheckReport report = checked();
  report.has_sources = false;
  const std::string text = "no sources: no patch was applied";
  CHECK_THAT(document_text(report::check_document(report)), Catch::Contains(text));
  CHECK_THAT(report::check_html(report), Catch::Contains(text));
  CHECK_THAT(report::check_svg(report), Catch::Contains(text));
  CHECK_THAT(report::check_json(report), Catch::Contains("\"sources\": false"));
}

TEST_CASE("check_report: a catalog with findings has no cells, and says so in every form") {
  CheckReport report;
  report.findings = {{"boards/pi.json", 3, "arhc", "unknown key"}};
  for (const std::string& text :
       {document_text(report::check_document(report)), report::check_junit(report), report::check_html(report)})
    CHECK_THAT(text, Catch::Contains("boards/pi.json:3: arhc: unknown key"));
  CHECK_THAT(report::check_junit(report), Catch::Contains("tests=\"1\" failures=\"1\" errors=\"0\""));
  CHECK_THAT(report::check_json(report), Catch::Contains("\"cells\": []"));
}

TEST_CASE("check_report: no script, and nothing from elsewhere") {
  for (const std::string& text : {report::check_html(checked()), report::check_svg(checked())}) {
    CHECK_THAT(text, !Catch::Contains("<script") && !Catch::Contains("url(") && !Catch::Contains("href=\"http") &&
                         !Catch::Contains("src="));
  }
}

TEST_CASE("xml_text: escapes what XML reads, and quotes what it cannot hold") {
  CHECK(xml_text("a<b> & \"c\"") == "a&lt;b&gt; &amp; &quot;c&quot;");
  CHECK(xml_text(std::string("a\x01", 2)) == "'a\\001'");
}
