// SPDX-License-Identifier: BSD-3-Clause
#include "support/error.h"

#include <cerrno>

#include "support/catch.h"

using namespace torchpatch;

TEST_CASE("system_error: says why, and what to do where the file system is full") {
  errno = EACCES;
  const Error denied = system_error("writing 'a'");
  CHECK(denied.kind() == ErrorKind::environment);
  CHECK(denied.message() == "writing 'a': Permission denied");
  CHECK(denied.hint().empty());
  for (const int full : {ENOSPC, EDQUOT}) {
    errno = full;
    CHECK_THAT(system_error("writing 'a'").hint(), Catch::Contains("make room"));
  }
}
