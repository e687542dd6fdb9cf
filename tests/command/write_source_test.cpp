// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.h"
#include "support/run_cli.h"

using namespace torchpatch;
using test::CliResult;
using test::TestWorkspace;

TEST_CASE("write-source: refuses a directory that is in use and a name it does not know") {
  const TestWorkspace workspace;
  workspace.write("used/x", "");
  const CliResult used = workspace.run({"write-source", "sample", "--output", workspace.path("used")});
  CHECK(used.exit_code == 7);
  CHECK(used.err == "torchpatch: error: '$TMP/used' is not empty\nhint: name a new directory\n");
  const CliResult unknown = workspace.run({"write-source", "simple", "--output", workspace.path("new")});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err == "torchpatch: error: unknown NAME 'simple'; choose from sample\nhint: did you mean 'sample'?\n");
}
