// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/network.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "git/object_store.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/git_traps.h"
#include "unit/source/closure_fixture.h"
#include "unit/source/loopback_servers.h"

using namespace torchpatch;
using namespace torchpatch::source;

namespace {

/// torch ── third_party/onnx (relative URL), with an older commit of each.
struct Served : test::Upstream {
  ObjectId old_onnx, onnx, torch;
  TempDir cache_parent;
  std::string cache = cache_parent.path() + "/torchpatch";
  std::set<SubmodulePin> submodules;  ///< as they are recorded

  Served() {
    sandbox.init("onnx");
    sandbox.write("onnx/model", "old");
    old_onnx = sandbox.commit("onnx");
    sandbox.write("onnx/model", "onnx");
    onnx = sandbox.commit("onnx");
    sandbox.init("torch");
    sandbox.write("torch/setup.py", "setup");
    add_submodule("torch", "third_party/onnx", "../onnx", onnx);
    torch = sandbox.commit("torch");
  }
  std::string url(const std::string& repository) const { return "file://" + sandbox.path() + "/" + repository; }
  Closure fetch(NetworkOptions options, const std::string& torch_url, const std::vector<MovedRepository>& moved = {},
                const std::vector<SubmoduleOverride>& overrides = {}) {
    options.cache = cache;
    NetworkSource source(std::move(options), console);
    Release release = test::release_of(torch_url, torch);
    release.components[Component::torch].submodules = submodules;
    return test::read_torch(source, release, console, moved, overrides);
  }
  void renew() {
    remove_tree(cache);
    console.statuses.clear();
  }
  std::string cached(const std::string& repository) const {
    return cache + "/git/file+" + sandbox.path() + "/" + repository + ".git";
  }
};

/// Sets a variable of the environment as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

void clear_packs(const std::string& repository) {
  for (const std::string& name : list_directory(repository + "/objects/pack"))
    REQUIRE(unlink((repository + "/objects/pack/" + name).c_str()) == 0);
}

}  // namespace

TEST_CASE("NetworkSource: fetches a closure from a server, then reads it from the cache alone", "[source]") {
  if (!test::GitDaemon::is_installed()) {
    WARN("git's daemon is not installed");
    return;
  }
  Served upstream;
  std::string torch_url;
  {
    const test::GitDaemon daemon(upstream.sandbox.path());
    torch_url = daemon.url("torch");
    const Closure closure = upstream.fetch({}, torch_url);
    REQUIRE(closure.repositories.size() == 2);
    CHECK(closure.repositories[1].url == daemon.url("onnx"));
    CHECK(closure.repositories[1].commit == upstream.onnx);
    CHECK(closure.files.size() == 3);
  }
  CHECK(upstream.fetch({.offline = true}, torch_url).files.size() == 3);
  CHECK(file_exists(upstream.cache + "/CACHEDIR.TAG"));
}

TEST_CASE("NetworkSource: recorded submodules come together with their component, and once", "[source]") {
  Served upstream;
  CHECK(upstream.fetch({}, upstream.url("torch")).files.size() == 3);
  CHECK(upstream.console.statuses == std::vector<std::string>{"fetching 1 repository", "fetching 1 repository"});

  upstream.renew();
  upstream.submodules = {{upstream.onnx, upstream.url("onnx")}};
  CHECK(upstream.fetch({}, upstream.url("torch")).files.size() == 3);
  CHECK(upstream.console.statuses == std::vector<std::string>{"fetching 2 repositories"});

  REQUIRE(rename(upstream.cached("torch").c_str(), (upstream.cache + "/elsewhere").c_str()) == 0);
  upstream.console.statuses.clear();
  CHECK(upstream.fetch({}, upstream.url("torch")).files.size() == 3);
  CHECK(upstream.console.statuses == std::vector<std::string>{"fetching 1 repository"});
}

TEST_CASE("NetworkSource: recorded submodules that are wrong have no effect, and lead to no other server", "[source]") {
  Served upstream;
  const test::SilentServer silent;
  upstream.submodules = {{git_blob_id("absent"), upstream.url("onnx")},
                         {upstream.onnx, upstream.url("gone")},
                         {upstream.onnx, upstream.url("silent")},
                         {upstream.onnx, "https://example.invalid/onnx"}};
  const UrlMap map({concat(upstream.url("silent"), "=", silent.url())});
  const FetchOptions patience{.timeouts = {.idle = std::chrono::seconds(1)}};
  const Closure closure = upstream.fetch({.url_map = map, .fetch = patience}, upstream.url("torch"));
  CHECK(closure.repositories.size() == 2);
  CHECK(closure.files.size() == 3);
  CHECK(upstream.console.warnings.empty());
  // Nothing is tried a second time but what the closure turns out to need.
  CHECK(upstream.console.statuses == std::vector<std::string>{"fetching 4 repositories", "fetching 1 repository"});
  CHECK_FALSE(is_directory(upstream.cache + "/git/example.invalid"));
}

TEST_CASE("NetworkSource: a submodule that is taken at another commit comes with its component", "[source]") {
  Served upstream;
  upstream.submodules = {{upstream.onnx, upstream.url("onnx")}};
  const SubmoduleOverride override{
      {Component::torch, "third_party/onnx"}, upstream.onnx, upstream.old_onnx, upstream.url("onnx")};
  CHECK(upstream.fetch({}, upstream.url("torch"), {}, {override}).repositories[1].commit == upstream.old_onnx);
  CHECK(upstream.console.statuses == std::vector<std::string>{"fetching 2 repositories"});
  CHECK(Cache::fetched_commits(upstream.cached("onnx")) == std::vector<ObjectId>{upstream.old_onnx});
}

TEST_CASE("NetworkSource: --offline names what the cache lacks", "[source]") {
  Served upstream;
  CHECK(test::message_of(ErrorKind::source, [&] { upstream.fetch({.offline = true}, upstream.url("torch")); }) ==
        concat("reading the closure from the cache '", upstream.cache, "': 1 commit is not there\n  torch: commit ",
               upstream.torch.hex(), " of '", upstream.url("torch"),
               "': the commit was not found; not in the cache, and --offline forbids the network"));
  CHECK_FALSE(is_directory(upstream.cache));
}

TEST_CASE("NetworkSource: the configuration of user, machine and environment has no effect", "[source]") {
  Served upstream;
  const TempDir home;
  const std::string trap =
      concat("[url \"file:///nowhere/\"]\n\tinsteadOf = file://\n[core]\n\thooksPath = ", home.path(),
             "\n[fetch]\n\tfsckObjects = true\n[protocol]\n\tallow = never\n");
  write_file_atomically(home.path() + "/.gitconfig", trap);
  const Variable home_variable("HOME", home.path());
  const Variable config("GIT_CONFIG_GLOBAL", home.path() + "/.gitconfig");
  const Variable git_dir("GIT_DIR", "/nowhere");
  const Variable objects("GIT_OBJECT_DIRECTORY", "/nowhere");
  CHECK(upstream.fetch({}, upstream.url("torch")).files.size() == 3);
}

TEST_CASE("NetworkSource: a cache that somebody else handed over runs nothing, and leads git nowhere", "[source]") {
  Served upstream;
  const test::GitTraps traps;
  const std::string repository = upstream.cached("torch"), url = upstream.url("torch");
  traps.lay(repository);
  const std::string configuration = repository + "/config";
  write_file_atomically(configuration, concat(read_file(configuration), "[remote \"", url,
                                              "\"]\n\tuploadpack = ", traps.canary("uploadpack"), "\n"));
  SECTION("settings") {
    traps.lay(upstream.sandbox.path() + "/torch/.git");  // nor does what serves it
    CHECK(upstream.fetch({}, url).files.size() == 3);
  }
  SECTION("another repository's settings") {
    write_file_atomically(repository + "/commondir", upstream.sandbox.path() + "\n");
    CHECK(test::message_of(ErrorKind::unsafe, [&] { upstream.fetch({}, url); }) ==
          concat("git is not run: '", repository, "/commondir' points git to another repository"));
  }
  SECTION("a link to another repository") {
    const std::string other = upstream.sandbox.path() + "/other";
    REQUIRE(rename(repository.c_str(), other.c_str()) == 0);
    REQUIRE(symlink(other.c_str(), repository.c_str()) == 0);
    const std::string before = read_file(other + "/config");
    CHECK(test::message_of(ErrorKind::unsafe, [&] { upstream.fetch({}, url); }) ==
          concat("writing to '", upstream.cache, "': '", repository, "' is a link that leads out of it"));
    CHECK(read_file(other + "/config") == before);
  }
  CHECK(traps.sprung() == std::vector<std::string>{});
}

TEST_CASE("NetworkSource: searches mirrors before it fetches", "[source]") {
  Served upstream;
  const Closure closure = upstream.fetch({.mirrors = {upstream.sandbox.path()}}, "https://example.invalid/torch");
  CHECK(closure.files.size() == 3);
  CHECK_FALSE(is_directory(upstream.cache));
}

TEST_CASE("NetworkSource: tries where a repository also lives, and gives git's reasons", "[source]") {
  Served upstream;
  const std::string gone = upstream.url("gone");
  CHECK(upstream.fetch({}, gone, {{gone, {upstream.url("torch")}, ""}, {upstream.url("onnx"), {}, ""}}).files.size() ==
        3);

  upstream.cache += "2";
  const std::string message = test::message_of(ErrorKind::source, [&] {
    upstream.fetch({}, gone, {{gone, {upstream.url("gone2")}, ""}});
  });
  CHECK(message.find(concat("the commit was not found; '", gone, "': git reports '")) != std::string::npos);
  CHECK(message.find(concat("; '", upstream.url("gone2"), "': git reports '")) != std::string::npos);
}

TEST_CASE("NetworkSource: a commit that the server lacks does not keep another from coming", "[source]") {
  Served upstream;
  NetworkSource source({.cache = upstream.cache}, upstream.console);
  const std::string url = upstream.url("onnx");
  const ObjectId absent = git_blob_id("absent");
  const auto reasons = source.bring({test::pinned(upstream.onnx, url), test::pinned(absent, url),
                                     test::pinned(upstream.old_onnx, url), test::pinned(absent, "")},
                                    upstream.console);
  REQUIRE(reasons.size() == 4);
  CHECK(reasons[0].empty());
  CHECK(starts_with(reasons[1], concat("'", url, "': git reports '")));
  CHECK(reasons[2].empty());
  CHECK(reasons[3] == "no allowed URL is known");
  CHECK(source.object_folders() == std::vector<std::string>{upstream.cached("onnx") + "/objects"});
  CHECK(source.bring({test::pinned(upstream.onnx, url)}, upstream.console) == std::vector<std::string>{""});
}

TEST_CASE("NetworkSource: two commits of one repository come in one fetch", "[source]") {
  Served upstream;
  NetworkSource source({.cache = upstream.cache}, upstream.console);
  const std::string url = upstream.url("onnx");
  CHECK(source.bring({test::pinned(upstream.onnx, url), test::pinned(upstream.old_onnx, url + "/")},
                     upstream.console) == std::vector<std::string>{"", ""});
  int packs = 0;
  for (const std::string& name : list_directory(upstream.cached("onnx") + "/objects/pack"))
    packs += ends_with(name, ".pack") ? 1 : 0;
  CHECK(packs == 1);
}

TEST_CASE("NetworkSource: a damaged cache is fetched again", "[source]") {
  Served upstream;
  upstream.fetch({}, upstream.url("torch"));
  SECTION("packs that are gone") { clear_packs(upstream.cached("torch")); }
  SECTION("a pack that was changed") {
    const std::string path = test::find_file(upstream.cached("torch") + "/objects/pack", ".pack");
    std::string pack = read_file(path);
    pack.replace(12, pack.size() - 32, pack.size() - 32, '\x33');
    test::overwrite_file(path, pack);
  }
  CHECK(upstream.fetch({}, upstream.url("torch")).files.size() == 3);
}

TEST_CASE("NetworkSource: a damaged repository is not emptied while another run reads the cache", "[source]") {
  Served upstream;
  const std::vector<PinnedRepository> wanted = {test::pinned(upstream.onnx, upstream.url("onnx"))};
  const std::string folder = upstream.cached("onnx") + "/objects";
  NetworkSource({.cache = upstream.cache}, upstream.console).bring(wanted, upstream.console);
  const std::string witness = folder + "/info/witness";
  write_file_atomically(witness, "");
  {
    const NetworkSource reader({.cache = upstream.cache}, upstream.console);
    std::string aside;
    {
      // It wants what the cache has: what came of that is damaged.
      NetworkSource source({.cache = upstream.cache}, upstream.console);
      CHECK(source.bring(wanted, upstream.console) == std::vector<std::string>{""});
      CHECK(file_exists(witness));
      REQUIRE(source.object_folders().size() == 2);
      CHECK(source.object_folders()[0] == folder);
      aside = source.object_folders()[1];
      CHECK(git::ObjectStore({aside}).find(upstream.onnx) == 0);
      CHECK(source.bring(wanted, upstream.console) == std::vector<std::string>{""});
    }
    CHECK_FALSE(file_exists(aside));
  }
  NetworkSource source({.cache = upstream.cache}, upstream.console);
  CHECK(source.bring(wanted, upstream.console) == std::vector<std::string>{""});
  CHECK_FALSE(file_exists(witness));
  CHECK(source.object_folders() == std::vector<std::string>{folder});
  CHECK(git::ObjectStore({folder}).find(upstream.onnx) == 0);
}

TEST_CASE("Cache::try_while_unread: runs that begin while a repository is emptied wait for that", "[source]") {
  const TempDir directory;
  const Cache cache(directory.path());
  cache.make();
  UniqueFd reading = cache.begin_reading();
  UniqueFd other = cache.begin_reading();
  const auto is_reading = [&] { return !try_lock_file(directory.path() + "/reading.lock", LockKind::exclusive); };
  bool has_run = false;
  CHECK_FALSE(cache.try_while_unread(reading, [&] { has_run = true; }));
  CHECK_FALSE(has_run);
  CHECK(reading);
  other.reset();
  CHECK(cache.try_while_unread(reading, [&] {
    has_run = true;
    CHECK_FALSE(try_lock_file(directory.path() + "/reading.lock", LockKind::shared));
    UniqueFd none;
    CHECK_FALSE(cache.try_while_unread(none, [] { FAIL("nobody else has this chance"); }));
  }));
  CHECK(has_run);
  CHECK(is_reading());
}

TEST_CASE("NetworkSource: what another run has brought meanwhile is not fetched again", "[source]") {
  Served upstream;
  NetworkSource late({.cache = upstream.cache}, upstream.console);
  NetworkSource first({.cache = upstream.cache}, upstream.console);
  const std::string url = upstream.url("onnx");
  REQUIRE(first.bring({test::pinned(upstream.onnx, url)}, upstream.console)[0].empty());
  remove_tree(upstream.sandbox.path() + "/onnx");
  CHECK(late.bring({test::pinned(upstream.onnx, url)}, upstream.console) == std::vector<std::string>{""});
  CHECK(late.object_folders() == first.object_folders());
}

TEST_CASE("NetworkSource: the cache is a repository that git reads, and comes without history", "[source]") {
  Served upstream;
  NetworkSource source({.cache = upstream.cache}, upstream.console);
  REQUIRE(source.bring({test::pinned(upstream.onnx, upstream.url("onnx"))}, upstream.console)[0].empty());
  const std::string git_dir = "--git-dir=" + upstream.cached("onnx");
  CHECK(upstream.sandbox.git(".", {git_dir, "cat-file", "-p", upstream.onnx.hex() + ":model"}) == "onnx");
  CHECK(upstream.sandbox.git(".", {git_dir, "rev-list", "--all"}) == upstream.onnx.hex());
  CHECK(upstream.sandbox.git(".", {git_dir, "config", "--get", "gc.auto"}) == "0");
}

TEST_CASE("NetworkSource: a URL of .gitmodules with another scheme is not fetched from", "[source]") {
  test::Upstream upstream;
  upstream.sandbox.init("torch");
  upstream.add_submodule("torch", "sub", "git://127.0.0.1:1/x", git_blob_id("any"));
  const ObjectId commit = upstream.sandbox.commit("torch");
  const TempDir cache;
  NetworkSource source({.cache = cache.path() + "/c", .mirrors = {upstream.sandbox.path()}}, upstream.console);
  const std::string message = test::message_of(ErrorKind::source, [&] {
    test::read_torch(source, test::release_of("https://example.invalid/torch", commit), upstream.console);
  });
  CHECK(
      message.find(
          "no allowed URL is known (from .gitmodules, only https URLs and URLs on the parent's server are fetched)") !=
      std::string::npos);
  CHECK_FALSE(is_directory(cache.path() + "/c/git"));
}
