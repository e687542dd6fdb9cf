// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/fetch_program.h"

#include "source/store/cache.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"
#include "unit/source/loopback_servers.h"

using namespace torchpatch;
using namespace torchpatch::source;
using std::chrono::milliseconds;

namespace {

/// Keeps what it is told.
class StatusConsole : public NullConsole {
 public:
  void status(const std::string& line) override { statuses.push_back(line); }
  std::vector<std::string> statuses;
};

}  // namespace

TEST_CASE("back_off: doubles up to a minute, less up to a half", "[source]") {
  CHECK(back_off(1, 0) == milliseconds(1000));
  CHECK(back_off(2, 0) == milliseconds(2000));
  CHECK(back_off(3, 1) == milliseconds(2000));
  CHECK(back_off(7, 0) == milliseconds(60000));
  CHECK(back_off(1000000, 0.5) == milliseconds(45000));
}

TEST_CASE("run_fetches_patiently: tries again what may pass, within the time for all attempts", "[source]") {
  const test::SilentServer server;
  const TempDir directory;
  const Cache cache(directory.path());
  const std::string repository = cache.repository_of("https://h/r");
  cache.make_repository(repository);
  FetchOptions options;
  options.timeouts.idle = std::chrono::seconds(1);
  options.retries = 1;
  StatusConsole console;
  const auto outcomes = run_fetches_patiently({{server.url(), repository, {git_blob_id("x")}, {}}}, options, console);
  CHECK(outcomes.at(0).reason == "no progress for 1 s (--idle-timeout)");
  REQUIRE(console.statuses.size() == 1);
  CHECK(console.statuses[0] ==
        concat("fetching '", server.url(), "' again in 1 s: no progress for 1 s (--idle-timeout)"));

  options.timeouts.total = std::chrono::seconds(1);
  CHECK(run_fetches_patiently({{server.url(), repository, {git_blob_id("x")}, {}}}, options, console).at(0).reason ==
        "not done within 1 s (--timeout)");
  CHECK(console.statuses.size() == 1);
}

TEST_CASE("run_fetches_patiently: what a killed git left behind is in nobody's way", "[source]") {
  const test::GitSandbox upstream;
  upstream.init("r");
  const ObjectId commit = upstream.commit("r");
  const TempDir directory;
  const Cache cache(directory.path());
  const std::string repository = cache.repository_of("https://h/r");
  cache.make_repository(repository);
  make_directories(repository + "/refs/torchpatch");
  for (const std::string& name :
       {std::string("shallow.lock"), std::string("packed-refs.lock"), concat("refs/torchpatch/", commit.hex(), ".lock"),
        std::string("objects/pack/tmp_pack_x")})
    write_file_atomically(repository + "/" + name, "left");
  NullConsole console;
  const std::string url = "file://" + upstream.path() + "/r";
  CHECK(run_fetches_patiently({{url, repository, {commit}, {}}}, {}, console).at(0).reason.empty());
  CHECK_FALSE(file_exists(repository + "/objects/pack/tmp_pack_x"));
}
