// SPDX-License-Identifier: BSD-3-Clause
#include "model/version.h"

#include <algorithm>

#include "support/catch.h"

using namespace torchpatch;

namespace {

Version version(const std::string& text) {
  const auto parsed = Version::parse(text);
  CAPTURE(text);
  REQUIRE(parsed);
  return *parsed;
}

bool holds(const std::string& range, const std::string& text) {
  const auto parsed = VersionRange::parse(range);
  CAPTURE(range);
  REQUIRE(parsed);
  CHECK(parsed->text() == range);
  return parsed->contains(version(text));
}

}  // namespace

TEST_CASE("Version: parses numbers with dots only") {
  for (const std::string text :
       {"0", "1", "1.10.2", "28.2.1", "1.2.3.4.5.6", "999999999", "2.13.0-rc2", "2-rc0", "1.2.3.4.5.6-rc999999999"})
    CHECK(version(text).text() == text);
  for (const std::string text : {"",
                                 ".",
                                 "1.",
                                 ".1",
                                 "1..2",
                                 "v1",
                                 "1.0a",
                                 "01",
                                 "1.00",
                                 "-1",
                                 "+1",
                                 " 1",
                                 "1 ",
                                 "1,2",
                                 "1.2.3.4.5.6.7",
                                 "1000000000",
                                 "18446744073709551617",
                                 "1\n",
                                 "1-",
                                 "1-rc",
                                 "1-rc01",
                                 "1-rc1000000000",
                                 "1-rc-1",
                                 "1-rc1.0",
                                 "1-rc1-rc1",
                                 "1-RC1",
                                 "1rc1",
                                 "1.-rc1",
                                 "-rc1",
                                 "1-beta1",
                                 "1-1",
                                 "1-rc1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(Version::parse(text));
  }
  CHECK_FALSE(Version::parse(std::string(300, '9')));
}

TEST_CASE("Version: compares number by number") {
  // Ascending, so all pairs are checked against the order of the list.
  std::vector<Version> versions;
  for (const char* text : {"0-rc0", "0", "0.0.1-rc1", "0.0.1", "0.9", "0.10", "1.0.9", "1.1", "1.1.0.1", "1.9.1",
                           "1.10.0-rc9", "1.10.0-rc10", "1.10.0", "1.10.2-rc1", "1.10.2", "2", "10"})
    versions.push_back(version(text));
  for (std::size_t a = 0; a < versions.size(); ++a)
    for (std::size_t b = 0; b < versions.size(); ++b) CHECK((versions[a] <=> versions[b]) == (a <=> b));
}

TEST_CASE("Version: missing numbers count as zero") {
  CHECK(version("1.10") == version("1.10.0"));
  CHECK(version("1") == version("1.0.0.0.0.0"));
  CHECK(version("1.10-rc1") == version("1.10.0-rc1"));
}

TEST_CASE("Version: families never cross a number") {
  CHECK(version("1.10.2").is_in_family(version("1.10")));
  CHECK(version("1.10.2").is_in_family(version("1")));
  CHECK(version("1.10").is_in_family(version("1.10.0")));
  CHECK_FALSE(version("1.10.2").is_in_family(version("1.1")));
  CHECK_FALSE(version("1.1.0").is_in_family(version("1.10")));
  CHECK_FALSE(version("1.10.2").is_in_family(version("1.10.2.1")));
  CHECK(version("2.13.0-rc2").is_in_family(version("2.13")));
  CHECK(version("2.13.0-rc2").is_in_family(version("2.13-rc2")));
  CHECK_FALSE(version("2.13.0").is_in_family(version("2.13.0-rc2")));
  CHECK_FALSE(version("2.13.0-rc1").is_in_family(version("2.13.0-rc2")));
}

TEST_CASE("VersionRange: comparisons") {
  CHECK(holds("<4", "3.99"));
  CHECK_FALSE(holds("<4", "4.0"));
  CHECK(holds("<=4", "4.0"));
  CHECK_FALSE(holds("<=4", "4.0.1"));
  CHECK(holds(">=1.5.0 <1.7.0", "1.5"));
  CHECK(holds(">=1.5.0 <1.7.0", "1.6.999"));
  CHECK_FALSE(holds(">=1.5.0 <1.7.0", "1.7"));
  CHECK_FALSE(holds(">=1.5.0 <1.7.0", "1.10"));
  CHECK(holds(">1.5", "1.5.0.0.0.1"));
  CHECK_FALSE(holds(">1.5", "1.5.0"));
  CHECK(holds("==3.5", "3.5.0"));
  CHECK_FALSE(holds("==3.5", "3.5.2"));
  CHECK(holds("*", "0"));
  CHECK(VersionRange().contains(version("999999999.999999999")));
  CHECK(holds(">=0", "999999999"));
}

TEST_CASE("VersionRange: a bare version means its family") {
  CHECK(holds("3.5", "3.5"));
  CHECK(holds("3.5", "3.5.2"));
  CHECK_FALSE(holds("3.5", "3.6"));
  CHECK_FALSE(holds("3.5", "3.50"));
  CHECK(holds("3.5 <3.5.2", "3.5.1"));
  CHECK_FALSE(holds("3.5 <3.5.2", "3.5.2"));
}

TEST_CASE("VersionRange: a pre-release is in a range that says so or goes on beyond it") {
  const std::string rc = "2.13.0-rc2";
  for (const std::string range : {"*", ">=1.0.0", ">2.12.1", ">=2.12 <2.14", "<=2.13.0", "2", ">=2.13.0-rc1",
                                  ">2.13.0-rc1", "<2.13.0-rc3", ">=2.12 <=2.13.0-rc2", "==2.13-rc2", "2.13.0-rc2"}) {
    CAPTURE(range);
    CHECK(holds(range, rc));
  }
  for (const std::string range :
       {">=2.12 <2.13", "<2.13.0", ">=2.13.0", ">=2.13.0 <2.14", ">2.13.0", "==2.13.0", "2.13", "2.13.0",
        ">=2.13.0-rc3", ">2.13.0-rc2", "<2.13.0-rc2", "==2.13.0-rc1", "2.13.0-rc1"}) {
    CAPTURE(range);
    CHECK_FALSE(holds(range, rc));
  }
  CHECK(holds(">=2.13.0-rc1", "2.13.0"));
  CHECK(holds(">=2.13.0-rc1 <2.14", "2.13.7"));
  CHECK_FALSE(holds(">=2.13.0-rc1 <2.14", "2.14.0-rc1"));
  CHECK_FALSE(holds("2.13.0-rc2", "2.13.0"));
  CHECK(holds(">=2.12 <2.13", "2.12.1-rc1"));
  CHECK(VersionRange::parse("<2.13.0-rc1")->names_pre_release());
  CHECK_FALSE(VersionRange::parse(">=2.12 <2.13")->names_pre_release());
}

TEST_CASE("VersionRange: refuses nonsense and what nothing can meet") {
  for (const std::string text : {"",
                                 " ",
                                 ">=",
                                 ">= 1",
                                 "=>1",
                                 "=1",
                                 "!=1",
                                 "~1",
                                 ">=1  <2",
                                 ">=1 ",
                                 " >=1",
                                 ">=1,<2",
                                 "1..2",
                                 ">=x",
                                 "* <2",
                                 "<1 *",
                                 ">=2 <1",
                                 "<0",
                                 ">1 <1",
                                 ">=1 <1",
                                 "==1 ==2",
                                 "3.5 3.6",
                                 ">3.5 <3.5.0.0.0.1",
                                 "<0-rc0",
                                 ">=2-rc1 <2",
                                 ">2-rc1 <2-rc2",
                                 ">2-rc999999999 <2",
                                 ">=2-rc",
                                 "==2 ==2-rc1",
                                 "<>1"}) {
    CAPTURE(text);
    CHECK_FALSE(VersionRange::parse(text));
  }
}
