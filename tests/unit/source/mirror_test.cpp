// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/object_source.h"

#include <unistd.h>

#include "support/catch.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/raises.h"
#include "unit/source/closure_fixture.h"

using namespace torchpatch;
using namespace torchpatch::source;

namespace {

/// The folders found below the sandbox, relative to it.
std::vector<std::string> found_below(const test::GitSandbox& sandbox, const std::string& directory = ".") {
  std::vector<std::string> relative;
  NullConsole console;
  for (const std::string& folder : find_object_folders({sandbox.path() + "/" + directory}, console)) {
    REQUIRE(starts_with(folder, sandbox.path() + "/"));
    relative.push_back(folder.substr(sandbox.path().size() + 1));
  }
  return relative;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("find_object_folders: finds repositories of every kind at any depth, in order", "[source]") {
  const test::GitSandbox sandbox;
  sandbox.init("z/tree");
  sandbox.init("z/tree/nested/deep/other");
  make_directories(sandbox.path() + "/a/b/c");
  sandbox.git("a/b/c", {"init", "--quiet", "--bare", "bare.git"});
  sandbox.git("z/tree/.git", {"init", "--quiet", "--bare", "modules/third_party/x"});
  sandbox.git("z/tree/.git", {"init", "--quiet", "--bare", "modules/third_party/x/modules/y"});
  CHECK(found_below(sandbox) ==
        Names{"a/b/c/bare.git/objects", "z/tree/.git/objects", "z/tree/.git/modules/third_party/x/objects",
              "z/tree/.git/modules/third_party/x/modules/y/objects", "z/tree/nested/deep/other/.git/objects"});
  CHECK(found_below(sandbox, "a/b/c/bare.git") == Names{"a/b/c/bare.git/objects"});
  CHECK(found_below(sandbox, "z/tree/nested") == Names{"z/tree/nested/deep/other/.git/objects"});
}

TEST_CASE("find_object_folders: finds each folder once, in the order of the directories", "[source]") {
  const test::GitSandbox sandbox;
  sandbox.init("a");
  sandbox.init("b");
  NullConsole console;
  const auto found = find_object_folders({sandbox.path() + "/b", sandbox.path(), sandbox.path() + "/a/../b"}, console);
  CHECK(found == Names{sandbox.path() + "/b/.git/objects", sandbox.path() + "/a/.git/objects"});
}

TEST_CASE("find_object_folders: follows links only where the user names them", "[source]") {
  const test::GitSandbox sandbox;
  sandbox.init("outside/r");
  make_directories(sandbox.path() + "/mirror");
  REQUIRE(symlink("../outside", (sandbox.path() + "/mirror/link").c_str()) == 0);
  CHECK(found_below(sandbox, "mirror").empty());
  CHECK(found_below(sandbox, "mirror/link") == Names{"outside/r/.git/objects"});
}

TEST_CASE("find_object_folders: does not enter objects and refs", "[source]") {
  const test::GitSandbox sandbox;
  sandbox.init("r");
  sandbox.git("r/.git/objects", {"init", "--quiet", "--bare", "hidden"});
  sandbox.git("r/.git/refs", {"init", "--quiet", "--bare", "hidden"});
  CHECK(found_below(sandbox) == Names{"r/.git/objects"});
}

TEST_CASE("find_object_folders: a repository that lacks parts is left out", "[source]") {
  const test::GitSandbox sandbox;
  const std::string git_dir = sandbox.init("r") + "/.git";
  SECTION("without refs: with a warning") {
    remove_tree(git_dir + "/refs");
    test::RecordingConsole console;
    CHECK(find_object_folders({sandbox.path()}, console).empty());
    CHECK(console.warnings == Names{concat("the repository '", git_dir, "' has no 'refs'; ignored")});
  }
  SECTION("without objects") {
    remove_tree(git_dir + "/objects");
    CHECK(found_below(sandbox).empty());
  }
  SECTION("with a link for objects") {
    REQUIRE(rename((git_dir + "/objects").c_str(), (sandbox.path() + "/elsewhere").c_str()) == 0);
    REQUIRE(symlink("../../elsewhere", (git_dir + "/objects").c_str()) == 0);
    CHECK(found_below(sandbox).empty());
  }
}

TEST_CASE("find_object_folders: warns of objects borrowed from outside only", "[source]") {
  const test::GitSandbox sandbox;
  const std::string lender = sandbox.init("mirror/lender") + "/.git/objects";
  const std::string outside = sandbox.init("outside") + "/.git/objects";
  const std::string borrower = sandbox.init("mirror/borrower") + "/.git/objects";
  write_file_atomically(borrower + "/info/alternates",
                        "# comment\n../../../lender/.git/objects\n" + lender + "\n" + outside + "\n");
  test::RecordingConsole console;
  CHECK(find_object_folders({sandbox.path() + "/mirror"}, console) == Names{borrower, lender});
  CHECK(console.warnings == Names{concat("the repository of '", borrower, "' borrows objects from '", outside,
                                         "', which is outside the directories to search; they are ignored")});
}

TEST_CASE("find_object_folders: refuses what is not a directory", "[source]") {
  const TempDir directory;
  write_file_atomically(directory.path() + "/file", "");
  const auto refusal = [&](const std::string& name) {
    return test::message_of(ErrorKind::environment, [&] {
      NullConsole console;
      find_object_folders({directory.path() + name}, console);
    });
  };
  const std::string action = concat("looking for repositories in '", directory.path());
  CHECK(refusal("/nowhere") == action + "/nowhere': no such directory");
  CHECK(refusal("/file") == action + "/file': it is not a directory");
}

TEST_CASE("MirrorSource: says so where there is no repository", "[source]") {
  const TempDir directory;
  NullConsole console;
  CHECK(test::message_of(ErrorKind::source, [&] { MirrorSource({directory.path()}, console); }) ==
        concat("looking for repositories: the mirror '", directory.path(), "' has none"));
}

TEST_CASE("MirrorSource: brings nothing", "[source]") {
  const test::GitSandbox sandbox;
  sandbox.init("r");
  NullConsole console;
  MirrorSource source({sandbox.path()}, console);
  CHECK(source.bring({test::pinned({}, "https://h/a"), test::pinned({}, "")}, console) ==
        Names{"not in any mirror", "not in any mirror"});
  CHECK(source.describe() == concat("the mirror '", sandbox.path(), "'"));
}
