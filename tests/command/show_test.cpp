// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"

using namespace torchpatch;
using test::CliResult;
using test::ToyWorkspace;

TEST_CASE("show: each kind, in text and JSON") {
  const ToyWorkspace workspace;
  const std::vector<std::pair<std::string, std::string>> entries = {
      {"release", "1.1.0"},   {"board", "small"},  {"issue", "block-limit"}, {"patchset", "block-limit"},
      {"image", "small:one"}, {"fix", "be-quiet"}, {"setting", "gcc"}};
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

TEST_CASE("show: an image is named with its board where several have it") {
  const ToyWorkspace workspace;
  const CliResult several = workspace.run({"show", "image", "one"});
  CHECK(several.exit_code == 2);
  CHECK(several.err ==
        "torchpatch: error: 'one' is an image of several boards\nhint: there are plain:one, small:one\n");
  CHECK_THAT(workspace.run({"show", "image", "small:one", "--json"}).out, Catch::Contains("\"board\": \"small\""));
}

TEST_CASE("show: near misses of images, fixes and settings are offered") {
  const ToyWorkspace workspace;
  const auto error = [&](const std::string& kind, const std::string& name) {
    const CliResult result = workspace.run({"show", kind, name});
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK(error("image", "small:on") == "torchpatch: error: unknown image 'small:on'\nhint: did you mean 'small:one'?\n");
  CHECK(error("fix", "be-quite") == "torchpatch: error: unknown fix 'be-quite'\nhint: did you mean 'be-quiet'?\n");
  CHECK(error("setting", "gc") == "torchpatch: error: unknown setting 'gc'\nhint: did you mean 'gcc'?\n");
  CHECK(error("fix", "nothing") ==
        "torchpatch: error: unknown fix 'nothing'\nhint: 'torchpatch list fixes' lists them\n");
}
