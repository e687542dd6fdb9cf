// SPDX-License-Identifier: BSD-3-Clause
#include "document/document.h"

#include "support/catch.h"

using namespace torchpatch;

TEST_CASE("counted: one or many") {
  CHECK(counted(1, "patch", "patches") == "1 patch");
  CHECK(counted(2, "patch", "patches") == "2 patches");
  CHECK(counted(0, "issue") == "0 issues");
}

TEST_CASE("size_text: four digits at most") {
  CHECK(size_text(0) == "0 B");
  CHECK(size_text(999) == "999 B");
  CHECK(size_text(3'449) == "3.4 kB");
  CHECK(size_text(61'000'000) == "61.0 MB");
  CHECK(size_text(1'200'000'000) == "1.2 GB");
}

TEST_CASE("day_text: in UTC") {
  CHECK(day_text(0) == "1970-01-01");
  CHECK(day_text(951'782'400 - 1) == "2000-02-28");
  CHECK(day_text(951'782'400) == "2000-02-29");
  CHECK(day_text(4'294'967'296) == "2106-02-07");
}
