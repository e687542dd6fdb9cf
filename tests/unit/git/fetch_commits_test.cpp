// SPDX-License-Identifier: BSD-3-Clause
#include "git/fetch_commits.h"

#include <stdexcept>

#include "support/catch.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"

using namespace torchpatch;

#ifdef TORCHPATCH_SANITIZED
/// libgit2 1.5 does not free what it compares URLs with its configuration by.
extern "C" const char* __lsan_default_suppressions() { return "leak:libpcre2"; }
#endif

namespace {

std::size_t count_descriptors() { return list_directory("/proc/self/fd").size(); }

}  // namespace

TEST_CASE("fetch_commits: what on_progress raises arrives, and libgit2 has cleaned up", "[git]") {
  const test::GitSandbox sandbox;
  sandbox.init("from");
  sandbox.write("from/file", "text");
  const ObjectId commit = sandbox.commit("from");
  sandbox.git(".", {"init", "--quiet", "--bare", "to.git"});
  const std::string url = concat("file://", sandbox.path(), "/from"), to = sandbox.path() + "/to.git";
  const auto fetch = [&](bool fails) {
    git::fetch_commits(url, to, {commit}, "refs/fetched/", [&](const std::string& line) {
      if (fails && line != git::kConnected) throw std::runtime_error(line);
    });
  };
  CHECK_THROWS_WITH(fetch(true), Catch::Contains(" objects, "));  // once before: libgit2 opens things of its own
  const std::size_t before = count_descriptors();
  CHECK_THROWS_WITH(fetch(true), Catch::Contains(" objects, "));
  CHECK(count_descriptors() == before);
  CHECK_FALSE(file_exists(concat(to, "/refs/fetched/", commit.hex())));

  fetch(false);
  CHECK(file_exists(concat(to, "/refs/fetched/", commit.hex())));
}
