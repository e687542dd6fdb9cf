// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run.h"

#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"

using namespace torchpatch;
using namespace torchpatch::cli;

TEST_CASE("data_directory: below the prefix of the program, wherever that is") {
  const TempDir prefix;
  make_directories(prefix.path() + "/share/torchpatch/releases");
  make_directories(prefix.path() + "/bin");
  Environment environment;
  environment.executable = prefix.path() + "/bin/torchpatch";
  CHECK(is_directory(data_directory(environment) + "/releases"));
  CHECK(data_directory(environment) == prefix.path() + "/bin/../share/torchpatch");
}

TEST_CASE("data_directory: TORCHPATCH_DATA comes first") {
  const TempDir data;
  make_directories(data.path() + "/releases");
  Environment environment;
  environment.variables = {{"TORCHPATCH_DATA", data.path()}};
  CHECK(data_directory(environment) == data.path());
}

TEST_CASE("data_directory: says where it looked") {
  Environment environment;
  environment.executable = "/nowhere/bin/torchpatch";
  try {
    data_directory(environment);
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::environment);
    CHECK(error.message() == "looking for the catalog: '/nowhere/bin/../share/torchpatch' has no releases/");
    CHECK(error.hint() == "set TORCHPATCH_DATA to the directory that contains releases/, boards/ and patchsets/");
  }
}
