// SPDX-License-Identifier: BSD-3-Clause
#include "support/error.h"

#include <fcntl.h>

#include <cerrno>

#include "support/catch.h"
#include "support/file.h"
#include "support/text.h"

using namespace torchpatch;

TEST_CASE("system_error: says why, and what to do where the file system is full") {
  errno = EACCES;
  const Error denied = system_error("writing 'a'");
  CHECK(denied.kind() == ErrorKind::environment);
  CHECK(denied.message() == "writing 'a': Permission denied");
  CHECK(denied.hint().empty());
  for (const int full : {ENOSPC, EDQUOT}) {
    errno = full;
    CHECK_THAT(system_error("writing 'a'").hint(), Catch::Contains("free space"));
  }
}

TEST_CASE("system_error: names the directory that an open descriptor leads to") {
  const UniqueFd directory(::open("/usr/bin", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  errno = EACCES;
  CHECK(system_error(concat("writing '/proc/self/fd/", directory.get(), "/a'")).message() ==
        "writing '/usr/bin/a': Permission denied");
  errno = EACCES;
  CHECK(system_error("writing '/proc/self/fd/9999/a'").message() ==
        "writing '/proc/self/fd/9999/a': Permission denied");
}
