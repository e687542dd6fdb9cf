// SPDX-License-Identifier: BSD-3-Clause
#include "tree/staging.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/catch.h"
#include "support/text.h"
#include "unit/git/raises.h"
#include "unit/tree/processes.h"

namespace torchpatch::tree {

using test::message_of;

namespace {

class RecordingConsole : public NullConsole {
 public:
  void warning(const std::string& line) override { warnings.push_back(line); }
  std::vector<std::string> warnings;
};

/// Writes a small tree that counts as prepared, its content being `text`.
void fill(const std::string& root, const std::string& text) {
  make_directories(root + "/torchpatch");
  write_file_atomically(root + "/torchpatch/manifest.json", text);
  write_file_atomically(root + "/file", text);
}

void prepare(const std::string& out, IfExists if_exists, const std::string& text, bool sync = false) {
  NullConsole console;
  Staging staging(out, if_exists, console);
  fill(staging.path(), text);
  staging.commit(sync);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Staging: what is built there becomes OUT, and nothing is left beside it") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  const test::UmaskScope umask(0077);
  SECTION("OUT is absent") {}
  SECTION("OUT is an empty directory") { make_directories(out); }
  SECTION("OUT's name is as long as a name may be") {
    const std::string longest = temp.path() + "/" + std::string(255, 'n');
    prepare(longest, IfExists::refuse, "1");
    CHECK(read_file(longest + "/file") == "1");
    remove_tree(longest);
  }
  for (const IfExists if_exists : {IfExists::refuse, IfExists::replace}) {
    prepare(out + "/", if_exists, "1", true);
    CHECK(read_file(out + "/file") == "1");
    CHECK(test::mode_of(out) == 0755);
    CHECK(list_directory(temp.path()) == Names{"out"});
    if (if_exists == IfExists::refuse) remove_tree(out);
  }
}

TEST_CASE("Staging: is private while it is built, and gone without commit") {
  const TempDir temp;
  NullConsole console;
  {
    const Staging staging(temp.path() + "/out", IfExists::refuse, console);
    CHECK(real_path(staging.path()) == real_path(temp.path()) + "/.out.torchpatch-staging");
    CHECK(test::mode_of(real_path(staging.path())) == 0700);
    fill(staging.path(), "1");
  }
  CHECK(list_directory(temp.path()).empty());
}

TEST_CASE("Staging: refuses an OUT that exists, before anything is made") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  prepare(out, IfExists::refuse, "1");
  CHECK(message_of(ErrorKind::environment, [&] { prepare(out, IfExists::refuse, "2"); }) ==
        concat("writing to '", out, "': it already contains a prepared tree"));

  const std::string other = temp.path() + "/other";
  make_directories(other);
  write_file_atomically(other + "/mine", "");
  for (const IfExists if_exists : {IfExists::refuse, IfExists::replace}) {
    CHECK(message_of(ErrorKind::environment, [&] { prepare(other, if_exists, "2"); }) ==
          concat("writing to '", other, "': it contains files that torchpatch did not write"));
  }
  CHECK(read_file(out + "/file") == "1");
  CHECK(list_directory(temp.path()) == Names{"other", "out"});
}

TEST_CASE("Staging: replace swaps the old tree for the new one, and removes the old one") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  prepare(out, IfExists::refuse, "1");
  write_file_atomically(out + "/old", "");
  prepare(out, IfExists::replace, "2", true);
  CHECK(list_directory(out) == Names{"file", "torchpatch"});
  CHECK(read_file(out + "/file") == "2");
  CHECK(list_directory(temp.path()) == Names{"out"});
}

TEST_CASE("Staging: an OUT that appears or changes during the run is not overwritten") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  NullConsole console;
  {
    Staging staging(out, IfExists::refuse, console);
    fill(staging.path(), "1");
    make_directories(out);
    write_file_atomically(out + "/mine", "");
    CHECK(message_of(ErrorKind::environment, [&] { staging.commit(false); }) ==
          concat("writing to '", out, "': it contains files that torchpatch did not write"));
  }
  CHECK(list_directory(out) == Names{"mine"});
  CHECK(list_directory(temp.path()) == Names{"out"});
}

TEST_CASE("Staging: moved away while it is written, it gets all the same what is its own, and OUT nothing of others") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  const std::string foreign = temp.path() + "/foreign";
  const bool replaces = GENERATE(false, true);
  if (replaces) prepare(out, IfExists::refuse, "old");
  make_directories(foreign + "/torchpatch");
  NullConsole console;
  {
    Staging staging(out, replaces ? IfExists::replace : IfExists::refuse, console);
    const std::string place = staging_path(out);
    REQUIRE(::rename(place.c_str(), (temp.path() + "/moved").c_str()) == 0);
    SECTION("a link in its place") { REQUIRE(::symlink("foreign", place.c_str()) == 0); }
    SECTION("a directory in its place") {
      make_directories(place);
      write_file_atomically(place + "/theirs", "");
    }
    SECTION("nothing in its place") {}
    fill(staging.path(), "1");
    CHECK(read_file(temp.path() + "/moved/file") == "1");
    CHECK_THAT(message_of(ErrorKind::environment, [&] { staging.commit(false); }),
               Catch::Contains("is not the one that was written"));
  }
  CHECK(list_files_below(foreign).empty());
  CHECK(list_directory(temp.path() + "/moved").empty());
  CHECK(type_at(out) == (replaces ? S_IFDIR : 0));
  if (replaces) CHECK(read_file(out + "/file") == "old");
}

TEST_CASE("Staging: the second of two runs on one OUT is told that it is locked") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  NullConsole console;
  Staging first(out, IfExists::refuse, console);
  fill(first.path(), "1");
  CHECK(message_of(ErrorKind::environment, [&] { prepare(out, IfExists::replace, "2"); }) ==
        concat("writing to '", out, "': it is locked by another run of torchpatch"));
  first.commit(false);
  CHECK(read_file(out + "/file") == "1");
  CHECK(list_directory(temp.path()) == Names{"out"});
}

TEST_CASE("Staging: an old tree that another run is about to remove is not swapped in") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  prepare(out, IfExists::refuse, "1");
  const UniqueFd other(::open(out.c_str(), O_RDONLY | O_DIRECTORY));
  REQUIRE(::flock(other.get(), LOCK_EX | LOCK_NB) == 0);
  CHECK_THAT(message_of(ErrorKind::environment, [&] { prepare(out, IfExists::replace, "2"); }),
             Catch::Contains("locked"));
  CHECK(read_file(out + "/file") == "1");
  CHECK(list_directory(temp.path()) == Names{"out"});
}

TEST_CASE("Staging: removes what an interrupted run left, and says so") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  const std::string left = staging_path(out);
  make_directories(left + "/pytorch/deep");
  write_file_atomically(left + "/pytorch/deep/half", "");
  RecordingConsole console;
  Staging staging(out, IfExists::refuse, console);
  CHECK(console.warnings == Names{concat("removed what an interrupted run left in '", left, "'")});
  CHECK(list_directory(staging.path()).empty());
}

TEST_CASE("Staging: does not touch something else that has its name") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  SECTION("a file") {
    write_file_atomically(staging_path(out), "mine");
    CHECK_THAT(message_of(ErrorKind::environment, [&] { prepare(out, IfExists::refuse, "1"); }),
               Catch::Contains("Not a directory"));
    CHECK(read_file(staging_path(out)) == "mine");
  }
  SECTION("a link to a directory") {
    make_directories(temp.path() + "/elsewhere");
    write_file_atomically(temp.path() + "/elsewhere/x", "mine");
    REQUIRE(::symlink("elsewhere", staging_path(out).c_str()) == 0);
    CHECK_THAT(message_of(ErrorKind::environment, [&] { prepare(out, IfExists::refuse, "1"); }),
               Catch::Contains("opening '"));
    CHECK(read_file(temp.path() + "/elsewhere/x") == "mine");
  }
  SECTION("a directory of another user") {
    if (::geteuid() != 0) return;  // only root can give one away
    make_directories(staging_path(out));
    REQUIRE(::chown(staging_path(out).c_str(), 65534, 65534) == 0);
    CHECK_THAT(message_of(ErrorKind::environment, [&] { prepare(out, IfExists::refuse, "1"); }),
               Catch::Contains("belongs to another user"));
  }
  CHECK_FALSE(file_exists(out));
}

TEST_CASE("Staging: without /proc goes by names, below directories that nobody else may change") {
  if (::geteuid() != 0) {
    WARN("not root: a system without /proc is not tested");
    return;
  }
  const TempDir temp;
  const test::Confined result = test::with_tmpfs("/proc", 64, [&] {
    NullConsole console;
    {
      Staging staging(temp.path() + "/out", IfExists::refuse, console);
      if (staging.path() != temp.path() + "/.out.torchpatch-staging") return false;
      fill(staging.path(), "first");
      staging.commit(false);
    }
    {
      Staging staging(temp.path() + "/out", IfExists::replace, console);
      fill(staging.path(), "second");
      staging.commit(false);
    }
    if (list_directory(temp.path()) != std::vector<std::string>{"out"}) return false;
    if (read_file(temp.path() + "/out/torchpatch/manifest.json") != "second") return false;
    ::chmod(temp.path().c_str(), 0777);
    const Staging staging(temp.path() + "/more", IfExists::refuse, console);
    return message_of(ErrorKind::environment, [&] { staging.path(); })
        .ends_with(": other users may move it, and /proc/self/fd does not work here");
  });
  if (result == test::Confined::unavailable) WARN("no mount namespace here: a system without /proc is not tested");
  CHECK(result != test::Confined::failed);
}

}  // namespace torchpatch::tree
