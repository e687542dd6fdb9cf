// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.h"
#include "support/text.h"

using namespace torchpatch;

using Names = std::vector<std::string>;

TEST_CASE("nearest_names: nearest first, at most three") {
  CHECK(nearest_names("jetson-nnao", {"jetson-nano", "xavier"}) == Names{"jetson-nano"});
  CHECK(nearest_names("abcd", {"abcx", "abxd", "axcd", "xbcd", "abcd"}) == Names{"abcd", "abcx", "abxd"});
  CHECK(nearest_names("TX2", {"tx2"}) == Names{"tx2"});
  CHECK(nearest_names("tx2", {"tx2", "tx2"}) == Names{"tx2"});
}

TEST_CASE("nearest_names: nothing where nothing is near") {
  CHECK(nearest_names("raspberry", {"tx2", "xavier"}).empty());
  CHECK(nearest_names("", {"a"}).empty());
  CHECK(nearest_names("x", {"y"}).empty());
  CHECK(nearest_names(std::string(100'000, 'x'), {std::string(100'000, 'x')}).empty());
}

TEST_CASE("nearest_names: never crosses a number") {
  CHECK(nearest_names("1.10", {"1.1.0", "1.1", "1.0", "11.0"}).empty());
  CHECK(nearest_names("tx1", {"tx2"}).empty());
  CHECK(nearest_names("v1.1.0", {"1.1.0", "1.10"}) == Names{"1.1.0"});
  CHECK(nearest_names("tx", {"tx2"}) == Names{"tx2"});
  CHECK(nearest_names("jetpack3.3", {"jetpack-3.3", "jetpack-3.2"}) == Names{"jetpack-3.3"});
}

TEST_CASE("did_you_mean: is a question or nothing") {
  CHECK(did_you_mean("xavir", {"xavier"}) == "did you mean 'xavier'?");
  CHECK(did_you_mean("abc", {"abd", "abe"}) == "did you mean 'abd' or 'abe'?");
  CHECK(did_you_mean("abc", {"abd", "abe", "abf"}) == "did you mean 'abd', 'abe' or 'abf'?");
  CHECK(did_you_mean("abc", {"xyz"}).empty());
}
