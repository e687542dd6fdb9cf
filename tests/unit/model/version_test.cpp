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
  for (const std::string text : {"0", "1", "1.10.2", "28.2.1", "1.2.3.4.5.6", "999999999"})
    CHECK(version(text).text() == text);
  for (const std::string text : {"", ".", "1.", ".1", "1..2", "v1", "1.0a", "1.12.0-rc1", "01", "1.00", "-1", "+1",
                                 " 1", "1 ", "1,2", "1.2.3.4.5.6.7", "1000000000", "18446744073709551617", "1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(Version::parse(text));
  }
  CHECK_FALSE(Version::parse(std::string(300, '9')));
}

TEST_CASE("Version: compares number by number") {
  // Ascending, so all pairs are checked against the order of the list.
  std::vector<Version> versions;
  for (const char* text :
       {"0", "0.0.1", "0.9", "0.10", "1.0.9", "1.1", "1.1.0.1", "1.9.1", "1.10.0", "1.10.2", "2", "10"})
    versions.push_back(version(text));
  for (std::size_t a = 0; a < versions.size(); ++a)
    for (std::size_t b = 0; b < versions.size(); ++b) CHECK((versions[a] <=> versions[b]) == (a <=> b));
}

TEST_CASE("Version: missing numbers count as zero") {
  CHECK(version("1.10") == version("1.10.0"));
  CHECK(version("1") == version("1.0.0.0.0.0"));
}

TEST_CASE("Version: families never cross a number") {
  CHECK(version("1.10.2").is_in_family(version("1.10")));
  CHECK(version("1.10.2").is_in_family(version("1")));
  CHECK(version("1.10").is_in_family(version("1.10.0")));
  CHECK_FALSE(version("1.10.2").is_in_family(version("1.1")));
  CHECK_FALSE(version("1.1.0").is_in_family(version("1.10")));
  CHECK_FALSE(version("1.10.2").is_in_family(version("1.10.2.1")));
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
                                 "<>1"}) {
    CAPTURE(text);
    CHECK_FALSE(VersionRange::parse(text));
  }
}
