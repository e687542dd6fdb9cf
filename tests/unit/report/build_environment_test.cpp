// SPDX-License-Identifier: BSD-3-Clause
#include "record/tree_scripts.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/text.h"
#include "unit/report/examples.h"
#include "unit/report/golden.h"
#include "unit/report/out_tree.h"

namespace torchpatch::report {

using namespace record;
namespace {

/// Sources build.env in a shell with `variables` and prints `expression`.
std::string value_of(const Manifest& manifest, const std::string& expression, test::Variables variables = {}) {
  const TempDir temp;
  write_file_atomically(temp.path() + "/build.env", build_environment(manifest));
  variables.emplace_back("PATH", "/usr/bin:/bin");
  const ProgramResult result =
      run_program({{"dash", "-euc", ". ./build.env; printf '%s' \"" + expression + "\""}, variables, temp.path(), {}});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  return result.out;
}

TEST_CASE("build.env: has the documented form") {
  test::check_golden("build.env", build_environment(test::example_manifest()));
}

TEST_CASE("build.env: shellcheck finds nothing") {
  test::check_with_shellcheck(build_environment(test::example_manifest()));
  test::check_with_shellcheck(build_environment(Manifest{}));
}

TEST_CASE("build.env: carries every value as it is") {
  Manifest manifest = test::example_manifest();
  const std::string value = "it's \"$HOME\" `x` \\ a\nb ~ *";
  manifest.environment = {{"A", value, "--set", "", ""}, {"LC_ALL", "C.UTF-8", "--set", "", ""}};
  CHECK(value_of(manifest, "$A") == value);
  CHECK(value_of(manifest, "$LC_ALL $TZ $SOURCE_DATE_EPOCH $PYTHONHASHSEED") == "C.UTF-8 UTC 1556653113 0");
}

TEST_CASE("build.env: a comment cannot become a command") {
  Manifest manifest = test::example_manifest();
  const std::string trap = "x\nB=owned";
  manifest.board = trap;
  manifest.environment = {{"A", "1", trap, trap, trap}};
  CHECK(value_of(manifest, "${B:-}") == "");
}

TEST_CASE("build.env: leaves out what only the build of a component gets, and says how to set it") {
  Manifest manifest = test::example_manifest();
  manifest.environment = {{"MAX_JOBS", "3", "--set", "", "", Component::vision},
                          {"V", "1\nB=owned", "release 1.1.0", "", "", Component::audio}};
  CHECK(value_of(manifest, "${V:-} ${B:-} $MAX_JOBS", {{"MAX_JOBS", "7"}}) == "  7");
  CHECK_THAT(build_environment(manifest), Catch::Contains("# for vision alone: export MAX_JOBS=3\n"));
}

TEST_CASE("build.env: leaves out what the release is known not to read, unless --force-set insists") {
  Manifest manifest = test::example_manifest();
  manifest.environment = {{"A", "1", "issue x", "because", "", {}, "release 1.1.0 does not read it\nB=owned"},
                          {"C", "2", "--force-set", "", "", {}, "release 1.1.0 does not read it"},
                          {"D", "3", "issue x", "", "", Component::vision, "release 1.1.0 does not read it"}};
  CHECK(value_of(manifest, "${A:-}${B:-}$C") == "2");
  const std::string text = build_environment(manifest);
  CHECK_THAT(text, Catch::Contains("\n# issue x: because\n# left out: release 1.1.0 does not read it B=owned\n"
                                   "# export A=1\n"));
  CHECK_THAT(text, Catch::Contains("\n# --force-set\n# release 1.1.0 does not read it\nexport C=2\n"));
  CHECK_THAT(build_script(manifest, {}, {}, {}), !Catch::Contains("D=3"));
}

TEST_CASE("build.env: counts compile jobs by memory and processors, unless they are given") {
  Manifest manifest = test::example_manifest();
  CHECK(value_of(manifest, "$MAX_JOBS", {{"MAX_JOBS", "7"}}) == "7");
  const auto jobs = parse_decimal(value_of(manifest, "$MAX_JOBS"));
  REQUIRE(jobs.has_value());
  CHECK(*jobs >= 1);
  CHECK_THAT(build_environment(manifest), Catch::Contains("for every 2048 MiB"));
  manifest.release = "1.8.0";
  CHECK_THAT(build_environment(manifest), Catch::Contains("for every 4096 MiB"));
  manifest.target.erase("cuda");
  CHECK_THAT(build_environment(manifest), Catch::Contains("for every 2048 MiB"));
  manifest.environment = {{"MAX_JOBS", "3", "--set", "", ""}};
  CHECK(value_of(manifest, "$MAX_JOBS", {{"MAX_JOBS", "7"}}) == "3");
}

TEST_CASE("build_environment: refuses a name that a shell would run") {
  Manifest manifest = test::example_manifest();
  manifest.environment = {{"A=1;touch x;B", "1", "board tx2", "", ""}};
  CHECK_THROWS_AS(build_environment(manifest), Error);
}

}  // namespace
}  // namespace torchpatch::report
