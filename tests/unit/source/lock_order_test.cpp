// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "source/fetch/network.h"
#include "source/store/archive_source.h"
#include "source/store/fill_repositories.h"
#include "support/digest.h"
#include "support/file.h"
#include "unit/source/closure_fixture.h"

using namespace torchpatch;
using namespace torchpatch::source;

namespace {

std::string lock_of(const std::string& repository) { return concat(repository, "/", kRepositoryLock); }

/// Returns how many descriptors of a process lead to `path`.
std::ptrdiff_t count_open(pid_t pid, const std::string& path) {
  const std::filesystem::directory_iterator links(concat("/proc/", pid, "/fd"));
  return std::count_if(begin(links), end(links), [&](const auto& link) {
    std::error_code gone;
    return std::filesystem::read_symlink(link, gone) == path;
  });
}

/// Runs `action` beside us until it waits for one of two repositories, and returns whether it holds the other one then.
bool holds_while_it_waits(const std::string& waited_for, const std::string& other,
                          const std::function<void()>& action) {
  make_bare_repository(other, other);
  const UniqueFd ours = make_bare_repository(waited_for, waited_for);
  const pid_t pid = ::fork();
  if (pid == 0) {
    action();
    _exit(0);
  }
  for (int i = 0; i < 10'000 && count_open(pid, lock_of(waited_for)) < 2; ++i) ::usleep(1000);  // one is inherited
  const bool waits = count_open(pid, lock_of(waited_for)) == 2;
  const bool is_held = !try_lock_file(lock_of(other), LockKind::exclusive);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  REQUIRE(waits);
  return is_held;
}

}  // namespace

TEST_CASE("open_archives: takes its locks in the order of the digests, not of the command line", "[source]") {
  const TempDir directory;
  const Cache cache(directory.path() + "/cache");
  std::vector<std::pair<std::string, NamedArchive>> archives;  // by repository
  for (const std::string name : {"torch", "vision"}) {
    const std::string file = concat(directory.path(), "/", name, ".tar");
    write_file_atomically(file, name);
    const Sha256 digest = digest_of_file(open_regular_file(file), file).sha256;
    archives.emplace_back(cache.archive_repository(digest), NamedArchive::parse(concat(name, "=", file)));
  }
  std::sort(archives.begin(), archives.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  CHECK_FALSE(holds_while_it_waits(archives[0].first, archives[1].first, [&] {
    NullConsole console;
    open_archives({archives[1].second, archives[0].second}, cache, 1, console);
  }));
}

TEST_CASE("fill_repositories, fetch_histories: take their locks in the order of the paths", "[source]") {
  const TempDir directory;
  const std::string first_url = "https://example.org/onnx-lite", second_url = "https://example.org/onnx";
  const std::string first = repository_path(directory.path(), first_url);
  const std::string second = repository_path(directory.path(), second_url);
  REQUIRE(first < second);
  const std::vector<RepositoryCommits> repositories = {{second_url, {}, {}}, {first_url, {}, {}}};
  CHECK_FALSE(holds_while_it_waits(first, second, [&] {
    NullConsole console;
    fill_repositories(repositories, {.directory = directory.path(), .object_folders = {}}, console);
  }));
  CHECK_FALSE(holds_while_it_waits(first, second, [&] {
    NullConsole console;
    fetch_histories(repositories, directory.path(), {}, {}, console);
  }));
}
