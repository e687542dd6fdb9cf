// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;

namespace {

struct Auditing : test::ToyWorkspace {
  CliResult audit(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"audit", "--version", "1.1.0", "--board", "small", "--quiet"});
    return run(more);
  }
  CliResult audit_sources(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--mirror", upstream.mirror()});
    return audit(more);
  }
};

}  // namespace

TEST_CASE("audit: shows each patch in the pinned files") {
  const Auditing toy;
  toy.upstream.certify();
  const CliResult result = toy.audit_sources();
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::StartsWith("Audit of release 1.1.0 for small (one)\n  2 patches, 3 changed files, "));
  CHECK_THAT(result.out, Catch::Contains("\nPatch 1 of 2: Cap the limit\n"
                                         "  Patch                    block-limit/V1/0001-cap.patch in torch\n"));
  CHECK_THAT(result.out,
             Catch::Contains("  Origin                   vendor, Example\n"
                             "  Issues                   block-limit: Issue block-limit (runtime-failure)\n"));
  CHECK_THAT(result.out,
             Catch::Contains("  Certificate              yes\n  Proof                    none at this release\n"
                             "  Overlaps                 block-limit/V1/0002-cap-more.patch in include/limits.h\n"
                             "  Touches                  include/limits.h, line 10\n"));
  CHECK_THAT(result.out, Catch::Contains("  include/limits.h: modify, +1 -1\n    Blob  "));
  CHECK_THAT(result.out, Catch::Contains("\n     1      1  // limits 1\n     2      2  // limits 2\n"));
  CHECK_THAT(result.out, Catch::Contains("\n     9      9  // limits 9\n    10        -// limits 10\n"
                                         "           10 +// limit of 512\n    11     11  // limits 11\n"));
  CHECK_THAT(result.out, Catch::Contains("    20     20  // limits 20\n\nPatch 2 of 2: "));
  CHECK_THAT(result.out,
             Catch::Contains("  include/added.h: create, +1 -0\n    Mode  100644\n    Blob  none becomes "));
  CHECK_THAT(result.out,
             Catch::Contains(
                 "  Warnings                 unexplained, include/added.h:1: the description mentions neither the file "
                 "nor any word of these lines"));
}

TEST_CASE(
    "audit: proofs are listed once per patchset, and the description of every patch of 1.1.0 explains its lines") {
  Auditing workspace;
  workspace.set_variable("TORCHPATCH_DATA", test::source_directory());
  const std::string text = workspace.run({"audit", "--version", "1.1.0", "--board", "tx2", "--quiet"}).out;
  CHECK_THAT(text, Catch::Contains("  Proof                    5 proofs of all patches of cuda-launch-bounds:\n"
                                   "                           ctc-loss, proven since "));
  CHECK(text.find(" ctc-loss, proven") == text.rfind(" ctc-loss, proven"));
  CHECK_THAT(text, Catch::Contains("  Proof                    5 proofs of all patches of cuda-launch-bounds: see "
                                   "1.1/0001-bound-ctc-loss.patch\n"));
  CHECK_THAT(text, Catch::Contains("build-script, ") && !Catch::Contains("unexplained"));
}

TEST_CASE("audit: shows what a build runs besides the sources") {
  const Auditing toy;
  const std::string text = toy.audit({"--set", "CC=/opt/cc"}).out;
  const std::size_t begin = text.find("\nWhat will run\n");
  CHECK(begin > text.find("\nPatch 2 of 2"));
  const std::string runs = text.substr(begin, text.find("\nSign-off\n") - begin);
  CHECK_THAT(runs, Catch::Contains("CC                            /opt/cc  --set") && Catch::Contains("it is loud"));
  CHECK_THAT(runs, Catch::Contains("\n  build.sh\n") && Catch::Contains("+      export BUILD_VERSION=0.3.0\n"));
  CHECK_THAT(runs,
             Catch::Contains("\n  check.sh\n") && Catch::Contains("+same\tarch\taarch64\tFAIL\t-\t-\timage one\t"));
  CHECK(runs.find("+same\tarch\t") == runs.rfind("+same\tarch\t"));  // what both scripts have is shown once
  CHECK_THAT(runs, Catch::Contains(" as in a script above."));
  const std::string page = toy.audit({"--format", "html"}).out;
  const std::size_t script = page.find("id=\"script-build-sh\"");
  CHECK(page.find("<details", script) < page.find("<table", script));
}

TEST_CASE("audit: a patch is shown in what the one before it made") {
  const Auditing toy;
  const std::string text = toy.audit_sources({"--context", "45"}).out;
  const std::string second = text.substr(text.find("\nPatch 2 of 2"));
  CHECK_THAT(
      second,
      Catch::Contains("\n     9      9  // limits 9\n    10     10  // limit of 512\n    11     11  // limits 11\n"));
}

TEST_CASE("audit: --format markdown") {
  const Auditing toy;
  const std::string page = toy.audit_sources({"--format", "markdown"}).out;
  CHECK_THAT(page, Catch::StartsWith("# Audit of release 1.1.0 for small (one)\n\n2 patches, "));
  CHECK_THAT(page, Catch::Contains(
                       "\n## Patch 1 of 2: Cap the limit\n\n- Patch: `block-limit/V1/0001-cap.patch` in `torch`\n"));
  CHECK_THAT(page, Catch::Contains("- Certificate: none: it has no certificate for these pins\n"));
  CHECK_THAT(page, Catch::Contains("\n- Warnings: unexplained, `include/added.h:1`: "));
  CHECK_THAT(page, Catch::Contains("\n### include/limits.h: modify, +1 -1\n"));
  CHECK_THAT(page, Catch::Contains("\n```diff\n@@ -1,20 +1,20 @@\n // limits 1\n"));
  CHECK_THAT(page, Catch::Contains("\n```diff\n@@ -0,0 +1,1 @@\n+// added\n```\n"));
  const CliResult both = toy.audit({"--format", "markdown", "--json"});
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.err, Catch::Contains("--json and --format cannot be used together"));
}

TEST_CASE("audit: --output says what it wrote") {
  const Auditing toy;
  const CliResult written = toy.run(
      {"audit", "--version", "1.1.0", "--board", "small", "--format", "html", "--output", toy.path("audit.html")});
  CHECK(written.out.empty());
  CHECK_THAT(written.err, Catch::EndsWith("wrote '$TOY/audit.html'\n") || Catch::EndsWith("wrote '$TMP/audit.html'\n"));
}

TEST_CASE("audit: --format sarif") {
  const Auditing toy;
  const std::string log = toy.audit_sources({"--format", "sarif"}).out;
  CHECK_THAT(log, Catch::Contains("\"version\": \"2.1.0\""));
  CHECK_THAT(log, Catch::Contains("\"ruleId\": \"uncertified\",\n          \"level\": \"error\""));
  CHECK_THAT(log, Catch::Contains("\"ruleId\": \"unexplained\",\n          \"level\": \"note\""));
  CHECK_THAT(log, Catch::Contains("\"uri\": \"include/added.h\",\n                  \"uriBaseId\": \"torch\""));
  CHECK_THAT(log, Catch::Contains("\"startLine\": 1"));
  toy.upstream.certify();
  CHECK_THAT(toy.audit_sources({"--format", "sarif"}).out, !Catch::Contains("\"uncertified\""));
}

TEST_CASE("audit: without sources the hunks are those of the patches") {
  const Auditing toy;
  const CliResult result = toy.audit();
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::Contains("not available: context lines come from the patches") &&
                             Catch::Contains("Certificate              none: it has no certificate for these pins"));
}

TEST_CASE("audit: the digest is that of the JSON report without it") {
  const Auditing toy;
  const std::string json = toy.audit_sources({"--json"}).out;
  const std::string mark = ",\n  \"digest\": \"";
  const std::size_t place = json.find(mark);
  REQUIRE(place != std::string::npos);
  const std::string digest = json.substr(place + mark.size(), 64);
  CHECK(sha256(json.substr(0, place) + "\n}\n").hex() == digest);
  CHECK_THAT(toy.audit_sources().out, Catch::Contains("  Digest  " + digest));
  CHECK_THAT(toy.audit_sources({"--jobs", "1"}).out, Catch::Contains("  Digest  " + digest));
  CHECK_THAT(toy.audit().out, !Catch::Contains("  Digest  " + digest));
}
