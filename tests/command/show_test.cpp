// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"

using namespace torchpatch;
using test::CliResult;
using test::ToyWorkspace;

TEST_CASE("show: each kind, in text and JSON") {
  const ToyWorkspace workspace;
  const std::vector<std::pair<std::string, std::string>> entries = {
      {"release", "1.1.0"}, {"board", "small"}, {"issue", "block-limit"}, {"patchset", "block-limit"}};
  for (const auto& [kind, name] : entries) {
    const CliResult text = workspace.run({"show", kind, name});
    CHECK(text.exit_code == 0);
    CHECK_THAT(text.out, Catch::Contains(name));
    CHECK_THAT(workspace.run({"show", kind, name, "--json"}).out, Catch::Contains("\"schema\": 1"));
  }
}

TEST_CASE("show: an unknown name is a usage error with the nearest ones") {
  const CliResult result = ToyWorkspace().run({"show", "board", "smal"});
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Catch::Contains("'smal'") && Catch::Contains("hint: did you mean 'small'?"));
}

TEST_CASE("show: both arguments are needed") {
  const CliResult result = ToyWorkspace().run({"show", "board"});
  CHECK(result.exit_code == 2);
  CHECK(result.err == "torchpatch: error: missing: NAME\nhint: see 'torchpatch show --help'\n");
}
