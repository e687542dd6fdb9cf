// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/fetch_program.h"

#include <fcntl.h>
#include <sys/file.h>

#include <chrono>

#include "source/store/cache.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"
#include "unit/source/loopback_servers.h"

using namespace torchpatch;
using namespace torchpatch::source;

namespace {

std::string make_repository(const TempDir& directory) {
  const Cache cache(directory.path());
  const std::string repository = cache.repository_of("https://h/r");
  cache.make_repository(repository);
  return repository;
}

bool is_locked(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(file);
  return flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

}  // namespace

TEST_CASE("run_fetches: speaks only the protocol of the URL", "[source]") {
  const test::GitSandbox upstream;
  upstream.init("r");
  const ObjectId commit = upstream.commit("r");
  const TempDir cache;
  const std::string repository = make_repository(cache);
  const std::string file_url = "file://" + upstream.path() + "/r";
  CHECK(run_fetches({{file_url, repository, {commit}}}, {}).at(0).reason.empty());
  // A bare path is git's own spelling of a local repository; its scheme is none, so nothing is allowed.
  const auto refused = run_fetches({{upstream.path() + "/r", repository, {git_blob_id("x")}}}, {});
  CHECK(refused[0].reason.find("not allowed") != std::string::npos);
}

TEST_CASE("run_fetches: ends a fetch whose server says nothing", "[source]") {
  const test::SilentServer server;
  const TempDir cache;
  const auto start = std::chrono::steady_clock::now();
  FetchOptions options;
  options.timeouts.total = std::chrono::seconds(1);
  const auto outcomes = run_fetches({{server.url(), make_repository(cache), {git_blob_id("x")}}}, options);
  CHECK(outcomes[0].reason == "not done within 1 s (--timeout)");
  CHECK(outcomes[0].may_pass);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("Cache: a lock keeps others away as long as it lives", "[source]") {
  const TempDir cache;
  const std::string repository = make_repository(cache);
  UniqueFd first = Cache::lock(repository);
  CHECK(is_locked(repository + "/torchpatch.lock"));
  first.reset();
  CHECK_FALSE(is_locked(repository + "/torchpatch.lock"));
  CHECK(Cache::lock(repository));
}
