// SPDX-License-Identifier: BSD-3-Clause
// config.json, TORCHPATCH_* and options: settings of the network, which never change what is written.
#include "cli/shared_options.h"

#include <cstdlib>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/schema_writer.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;
using Catch::Contains;
using test::CliResult;

namespace {

struct ConfigWorkspace : test::ToyWorkspace {
  ConfigWorkspace() { upstream.certify(); }

  void configure(const std::string& text) const { write(".config/torchpatch/config.json", text); }

  /// Prepares from the network, which is a folder that --url-map names.
  CliResult fetch(const std::string& output) const {
    if (!file_exists(path("served"))) {
      REQUIRE(
          run({"mirror", "--version", "1.1.0", "--mirror", upstream.mirror(), "--output", path("served"), "--quiet"})
              .exit_code == 0);
    }
    return run({"prepare", "--version", "1.1.0", "--board", "small", "--quiet", "--output", path(output), "--url-map",
                concat("https://example.org/=file://", path("served"), "/git/example.org/")});
  }
  std::string fetched(const std::string& output) {
    set_variable("XDG_CACHE_HOME", path("cache-" + output));  // so that it is fetched
    const CliResult result = fetch(output);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return read_file(path(output) + "/torchpatch/SHA256SUMS") + read_file(path(output) + "/torchpatch/manifest.json");
  }
};

}  // namespace

TEST_CASE("config: an option counts before a variable, a variable before the file, the file before the default") {
  ConfigWorkspace workspace;
  CHECK(workspace.run({"config"}).out ==
        "configuration '$TMP/.config/torchpatch/config.json' (not found)\n"
        "  connect_timeout  30    default\n"
        "  idle_timeout     60    default\n"
        "  timeout          3600  default\n"
        "  retries          3     default\n");
  workspace.configure(R"({"schema": 1, "idle_timeout": 1, "timeout": 2, "retries": 0})");
  workspace.set_variable("TORCHPATCH_TIMEOUT", "5");
  workspace.set_variable("TORCHPATCH_RETRIES", "6");
  CHECK(workspace.run({"config", "--retries", "7"}).out ==
        "configuration '$TMP/.config/torchpatch/config.json'\n"
        "  connect_timeout  30  default\n"
        "  idle_timeout     1   $TMP/.config/torchpatch/config.json\n"
        "  timeout          5   TORCHPATCH_TIMEOUT\n"
        "  retries          7   --retries\n");
  workspace.set_variable("XDG_CONFIG_HOME", workspace.path("xdg"));
  workspace.write("xdg/torchpatch/config.json", R"({"schema": 1, "connect_timeout": 9})");
  CHECK_THAT(workspace.run({"config", "--json"}).out,
             Contains("\"file\": \"$TMP/xdg/torchpatch/config.json\"") &&
                 Contains("\"name\": \"connect_timeout\",\n      \"value\": 9,") &&
                 Contains("\"name\": \"retries\",\n      \"value\": 6,\n      \"origin\": \"TORCHPATCH_RETRIES\""));
}

TEST_CASE("config: the options work with every command that fetches, and its help does not list them") {
  const ConfigWorkspace workspace;
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"prepare"}, {"mirror"}, {"outdated"}, {"release", "add"}, {"port"}, {"prove"}, {"patch", "certify"}}) {
    std::vector<std::string> args = command;
    args.insert(args.end(), {"--retries", "101"});
    CHECK_THAT(workspace.run(args).err, Contains("--retries: found '101', need a number from 0 to 100"));
    args = command;
    args.emplace_back("--help");
    CHECK_THAT(workspace.run(args).out, !Contains("--retries") && Contains("--url-map"));
  }
  CHECK_THAT(workspace.run({"config", "--help"}).out, Contains("--connect-timeout N") && Contains("--idle-timeout N") &&
                                                          Contains("--timeout N") && Contains("--retries N"));
}

TEST_CASE("config: a malformed file ends with exit code 3, the line, and the key") {
  const ConfigWorkspace workspace;
  const auto refusal = [&](const std::string& text) {
    workspace.configure(text);
    const CliResult result = workspace.run({"config"});
    CHECK(result.exit_code == 3);
    CHECK(workspace.fetch("out").exit_code == 3);
    CHECK_FALSE(file_exists(workspace.path("out")));
    return result.err;
  };
  CHECK_THAT(refusal("{\n  \"schema\": 1,\n  \"retrys\": 3\n}\n"),
             Contains("config.json:3: retrys: unknown key; did you mean 'retries'?"));
  CHECK_THAT(refusal("{\n  \"schema\": 1,\n  \"timeout\": 0\n}\n"),
             Contains("config.json:3: timeout: must be from 1 to 604800"));
  CHECK_THAT(refusal("{\n  \"schema\": 1,\n"), Contains("config.json:2: not valid JSON"));
  CHECK_THAT(refusal("{}"), Contains("config.json:1: schema: "));
  for (const std::string key : {"offline", "url_map", "credentials"})
    CHECK_THAT(refusal(concat("{\"schema\": 1,\n\"", key, "\": true}")),
               Contains(concat("config.json:2: ", key, ": unknown key")));
}

TEST_CASE("config: a variable of the wrong form is a usage error") {
  ConfigWorkspace workspace;
  for (const std::string text : {"x", "-1", "101", "3 "}) {
    workspace.set_variable("TORCHPATCH_RETRIES", text);
    const CliResult result = workspace.run({"config"});
    CHECK(result.exit_code == 2);
    CHECK(result.err == concat("torchpatch: error: TORCHPATCH_RETRIES is '", text, "', not a number from 0 to 100\n"));
  }
}

TEST_CASE("config: prepare writes the same under any configuration") {
  ConfigWorkspace workspace;
  const std::string expected = workspace.fetched("a");
  workspace.configure(
      R"({"schema": 1, "connect_timeout": 604800, "idle_timeout": 5000, "timeout": 7, "retries": 100})");
  CHECK(workspace.fetched("b") == expected);
  for (const std::string name : {"CONNECT_TIMEOUT", "IDLE_TIMEOUT", "TIMEOUT", "RETRIES"})
    workspace.set_variable("TORCHPATCH_" + name, "100");
  CHECK(workspace.fetched("c") == expected);
  workspace.configure("broken");
  const CliResult mirrored = workspace.run({"prepare", "--version", "1.1.0", "--board", "small", "--quiet", "--output",
                                            workspace.path("d"), "--mirror", workspace.upstream.mirror()});
  CHECK(mirrored.exit_code == 0);  // nothing is fetched: the file is not read
  CHECK(read_file(workspace.path("d/torchpatch/SHA256SUMS")) == read_file(workspace.path("a/torchpatch/SHA256SUMS")));
}

TEST_CASE("config: whom torchpatch contacts is said by the command line alone") {
  ConfigWorkspace workspace;
  const std::string expected = workspace.fetched("a");
  workspace.set_variable("TORCHPATCH_OFFLINE", "1");
  workspace.set_variable("TORCHPATCH_CREDENTIALS", "1");
  workspace.set_variable("TORCHPATCH_URL_MAP", "https://example.org/pytorch/=file:///nowhere/");
  CHECK(workspace.fetched("b") == expected);
}

TEST_CASE("docs/schema/config.schema.json: is what FIELDS describes") {
  const std::string file = test::source_directory() + "/docs/schema/config.schema.json";
  const std::string text = canonical_json(
      test::schema_of_format<cli::Config>("config.json", "Settings that tune the network: how long it may take."),
      file);
  if (std::getenv("TORCHPATCH_ACCEPT") != nullptr) write_file_atomically(file, text);
  INFO("to accept the new text: TORCHPATCH_ACCEPT=1 tools/test");
  CHECK((file_exists(file) ? read_file(file) : "") == text);
}
