// SPDX-License-Identifier: BSD-3-Clause
#include "tree/staging.h"

#include <sys/stat.h>
#include <unistd.h>

#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"
#include "unit/git/raises.h"

namespace torchpatch::tree {

using test::message_of;

TEST_CASE("output_path: drops trailing slashes, resolves a last dot or two, and makes the path absolute") {
  const TempDir temp;
  make_directories(temp.path() + "/a/b");
  CHECK(output_path(temp.path() + "/a/out") == temp.path() + "/a/out");
  CHECK(output_path(temp.path() + "/a/out///") == temp.path() + "/a/out");
  CHECK(output_path(temp.path() + "/a/b/..") == temp.path() + "/a");
  CHECK(output_path(temp.path() + "/a/b/.") == temp.path() + "/a/b");
  CHECK(output_path("/out") == "/out");
  CHECK(output_path("out") == absolute_path("out"));
}

TEST_CASE("output_path: refuses the root, nothing, and a place without a parent") {
  const TempDir temp;
  const auto refused = [](const std::string& out) {
    return message_of(ErrorKind::environment, [&] { output_path(out); });
  };
  CHECK(refused("") == "writing to '': the path is empty");
  CHECK_THAT(refused(concat("/", std::string(5000, 'x'))),
             Catch::EndsWith("its path has 5001 bytes; the system accepts 4095"));
  CHECK(refused("/") == "writing to '/': it is the root directory");
  CHECK(refused("///") == "writing to '///': it is the root directory");
  const std::string out = temp.path() + "/no/out";
  CHECK(refused(out) == concat("writing to '", out, "': no directory '", temp.path(), "/no'"));
  CHECK(test::raised([&] { output_path(out); })->hint() == concat("create it: mkdir -p ", temp.path(), "/no"));
}

TEST_CASE("staging_path: lies beside OUT, under a name that is never too long") {
  CHECK(staging_path("/a/out") == "/a/.out.torchpatch-staging");
  CHECK(staging_path("/out") == "/.out.torchpatch-staging");
  const std::string longest(255, 'n');
  CHECK(staging_path("/a/" + longest) == "/a/." + sha256(longest).hex() + ".torchpatch-staging");
}

TEST_CASE("output_state: knows what may be written, and refuses the rest") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  const auto refused = [&] { return message_of(ErrorKind::environment, [&] { output_state(out); }); };
  const std::string prefix = concat("writing to '", out, "': ");
  CHECK(output_state(out) == OutputState::absent);

  SECTION("directories") {
    make_directories(out);
    CHECK(output_state(out) == OutputState::empty);
    make_directories(out + "/torchpatch");
    CHECK(refused() == prefix + "it contains files that torchpatch did not write");
    write_file_atomically(out + "/torchpatch/manifest.json", "{}");
    CHECK(output_state(out) == OutputState::prepared);
  }
  SECTION("a directory that a link makes look like ours") {
    make_directories(temp.path() + "/other/torchpatch");
    write_file_atomically(temp.path() + "/other/torchpatch/manifest.json", "{}");
    make_directories(out);
    REQUIRE(::symlink("../other/torchpatch", (out + "/torchpatch").c_str()) == 0);
    CHECK(refused() == prefix + "it contains files that torchpatch did not write");
  }
  SECTION("a file, a FIFO") {
    write_file_atomically(out, "");
    CHECK(refused() == prefix + "it is not a directory");
    REQUIRE(::unlink(out.c_str()) == 0);
    REQUIRE(::mkfifo(out.c_str(), 0644) == 0);
    CHECK(refused() == prefix + "it is not a directory");
  }
  SECTION("links, even to an empty directory or to nothing") {
    make_directories(temp.path() + "/empty");
    REQUIRE(::symlink("empty", out.c_str()) == 0);
    CHECK(refused() == prefix + "it is a symbolic link");
    REQUIRE(::unlink(out.c_str()) == 0);
    REQUIRE(::symlink("nothing", out.c_str()) == 0);
    CHECK(refused() == prefix + "it is a symbolic link");
  }
}

TEST_CASE("output_state: refuses the directory that we are in, and a mount point") {
  CHECK_THAT(message_of(ErrorKind::environment, [] { output_state(output_path(".")); }),
             Catch::Contains("it contains the working directory"));
  CHECK(message_of(ErrorKind::environment, [] { output_state("/proc"); }) ==
        "writing to '/proc': it is a mount point, which cannot be renamed");
}

}  // namespace torchpatch::tree
