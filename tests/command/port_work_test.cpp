// SPDX-License-Identifier: BSD-3-Clause
// port: what a person settles in its work directory, and what becomes of ranges and of variants without patches.
#include "command/port_toy.h"

using namespace torchpatch;
using test::CliResult;
using test::kHeader;
using test::PortToy;

namespace {

/// A port that ended in a conflict in the first patch: torch:include/limits.h, line 10.
struct ConflictToy : PortToy {
  explicit ConflictToy(const std::vector<std::string>& lines = {"10"}, const std::vector<std::string>& more = {}) {
    change(lines);
    release();
    CHECK(port(more).exit_code == 1);
  }
  void change(const std::vector<std::string>& lines) const {
    for (const std::string& line : lines) edit(kHeader, concat("// limits ", line, "\n"), "// limits changed\n");
    commit("Change lines");
  }
  std::string conflict() const { return work() + "/pytorch/" + kHeader; }
  /// Takes what the patch says.
  void settle() const { settle_in(conflict()); }
  static void settle_in(const std::string& file) {
    std::string text = read_file(file);
    const std::size_t begin = text.find("<<<<<<<"), middle = text.find("=======\n") + 8, end = text.find(">>>>>>>");
    REQUIRE(begin != std::string::npos);
    const std::string ours = text.substr(middle, end - middle);
    write_file_atomically(file, text.replace(begin, text.find('\n', end) + 1 - begin, ours));
  }
  void refuses(const std::string& message, const std::string& how = "--continue") const {
    const std::vector<std::string> before = catalog_state();
    const CliResult result = go_on(how);
    CHECK(result.exit_code == 5);
    CHECK_THAT(result.err, Catch::Contains(message));
    CHECK(catalog_state() == before);
  }
};

}  // namespace

TEST_CASE("port: a directory that has something else in it is no work directory, and nothing of it goes") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 10\n", "// limits ten\n");
  toy.commit("Say ten");
  toy.release();
  make_directories(toy.path("desk/mine"));
  const CliResult result = toy.port();
  CHECK(result.exit_code == 7);
  CHECK_THAT(result.err, Catch::Contains("/desk', the directory for conflicts, is not empty\nhint: choose another"));
  std::filesystem::remove_all(toy.path("desk"));
  CHECK(toy.port().exit_code == 1);
  write_file_atomically(toy.path("desk/notes"), "mine");
  CHECK(toy.go_on("--abort").exit_code == 0);
  CHECK(list_directory(toy.path("desk")) == std::vector<std::string>{"notes"});
}

TEST_CASE("port: a conflict behind another is settled after it, and a gate that fails behind them lays nothing twice") {
  const ConflictToy toy({"10", "50"});
  toy.settle();
  CHECK(toy.go_on("--continue").exit_code == 1);
  CHECK_THAT(read_file(toy.conflict()), Catch::Contains("// limit of 512") && Catch::Contains("<<<<<<< 1.2.0"));
  toy.settle();
  const std::string proof = toy.in_catalog("patchsets/block-limit/proof/limit.sh"), good = read_file(proof);
  write_file_atomically(proof, good + "! grep -q changed /dev/null || exit 0\necho never; exit 3\n");
  for (int i = 0; i < 2; ++i) CHECK_THAT(toy.go_on("--continue").out, Catch::Contains("proof 'limit' fails"));
  CHECK(test::git(toy.work(), {"rev-list", "--count", "HEAD"}) == "3");
  write_file_atomically(proof, good);
  CHECK(toy.go_on("--continue").exit_code == 0);
  toy.checks_out();
}

TEST_CASE("port: a patch that is laid behind a settled one is laid once, whatever a gate says") {
  const ConflictToy toy;
  toy.settle();
  const std::string proof = toy.in_catalog("patchsets/block-limit/proof/limit.sh"), good = read_file(proof);
  write_file_atomically(proof, good + "echo never; exit 3\n");
  for (int i = 0; i < 2; ++i) CHECK_THAT(toy.go_on("--continue").out, Catch::Contains("proof 'limit' fails"));
  write_file_atomically(proof, good);
  CHECK(toy.go_on("--continue").exit_code == 0);
  toy.checks_out();
}

TEST_CASE("port: a file of both has no marks, and is not taken as settled before somebody looked") {
  const PortToy toy;
  write_file_atomically(toy.file("include/added.h"), "// other\n");
  toy.commit("Add another");
  toy.release();
  CHECK_THAT(toy.port().out, Catch::Contains("include/added.h: upstream has a file of that name"));
  const CliResult refused = toy.go_on("--continue");
  CHECK(refused.exit_code == 5);
  CHECK_THAT(refused.err, Catch::Contains("'pytorch/include/added.h' is unchanged from the release: the patch's change "
                                          "is missing\nhint: add the change from 'git show :3:pytorch/include/"));
  SECTION("it is right as it is") { test::git(toy.work(), {"add", "pytorch/include/added.h"}); }
  SECTION("it is changed") { write_file_atomically(toy.work() + "/pytorch/include/added.h", "// added\n"); }
  const CliResult done = toy.go_on("--continue");
  INFO(done.out << done.err);
  CHECK(done.exit_code == 0);
  toy.checks_out();
}

TEST_CASE("port: a commit that does not name its patch is refused, and taken when it does") {
  const ConflictToy toy;
  toy.settle();
  test::git(toy.work(), {"commit", "-q", "-a", "-m", "Settle it"});
  toy.refuses("the work has commits for 0 patches, not for 1, up to '1.2.0/0001-cap.patch'\nhint: the message of");
  const std::string header = read_file(toy.in_catalog("patchsets/block-limit/V1/0001-cap.patch"));
  test::git(toy.work(), {"commit", "-q", "--amend", "--cleanup=verbatim", "-m",
                         "Patch-File: 1.2.0/0001-cap.patch\n\n" + header.substr(0, header.find("\n\n"))});
  write_file_atomically(toy.conflict(), read_file(toy.conflict()) + "// more\n");
  test::git(toy.work(), {"commit", "-q", "-a", "-m", "More of it"});
  CHECK(toy.go_on("--continue").exit_code == 0);
  CHECK_THAT(read_file(toy.in_catalog("patchsets/block-limit/1.2.0/0001-cap.patch")), Catch::Contains("+// more\n"));
  toy.checks_out();
}

TEST_CASE("port: a catalog that changed meanwhile is refused") {
  const ConflictToy toy;
  toy.settle();
  SECTION("the patchset") {
    const std::string path = toy.in_catalog("patchsets/block-limit/patchset.json");
    write_file_atomically(path, read_file(path) + "\n");
    toy.refuses("patchset.json' changed since this work began\nhint: skip it with --skip, or start again");
  }
  SECTION("the pins") {
    const std::string old = test::git(toy.torch, {"rev-parse", "HEAD"});
    toy.edit(kHeader, "// limits 30\n", "// thirty\n");
    test::edit(toy.in_catalog("releases/1.2.0.json"), old, toy.commit("Say thirty"));
    toy.refuses(
        "the pins of release 1.2.0 are not those with which this work began: pass the same --archive options, if any");
  }
  CHECK(toy.go_on("--skip").exit_code == 1);
  CHECK_FALSE(std::filesystem::exists(toy.path("desk")));
}

TEST_CASE("port: what a run that was ended by force had begun to write is taken back") {
  const ConflictToy toy({"10", "50"});
  toy.settle();
  CHECK(toy.go_on("--continue").exit_code == 1);
  const std::string whole = read_file(toy.conflict()), behind = test::git(toy.work(), {"rev-parse", "theirs"});
  test::git(toy.work(), {"reset", "-q", "--hard", "base"});  // as if it ended when it had written the branches
  write_file_atomically(toy.work() + "/pytorch/half", "");
  const std::string state = toy.work() + "/.git/torchpatch-port.json";
  test::edit(state, "\"behind\": \"\"", concat("\"behind\": \"", behind, "\""));
  test::edit(state, "\"has_conflict\": true", "\"has_conflict\": false");
  CHECK(toy.go_on("--continue").exit_code == 1);
  CHECK(read_file(toy.conflict()) == whole);
  CHECK_FALSE(file_exists(toy.work() + "/pytorch/half"));
  toy.settle();
  CHECK(toy.go_on("--continue").exit_code == 0);
  CHECK_THAT(read_file(toy.in_catalog("patchsets/block-limit/1.2.0/0002-cap-more.patch")),
             Catch::Contains("\n-// limits changed\n+// another limit\n"));
  toy.checks_out();
}

TEST_CASE("port: a work that is half written is none") {
  const ConflictToy toy;
  std::filesystem::rename(toy.work(), toy.work() + ".half-port");
  CHECK_THAT(toy.port().err, Catch::Contains("a port is in progress"));
  CHECK(toy.go_on("--continue").exit_code == 1);
  CHECK(list_directory(toy.path("desk")) == std::vector<std::string>{"block-limit", "torchpatch-port.json"});
}

TEST_CASE("port: of several conflicts each is taken when it is settled, or left out") {
  const PortToy toy;
  toy.add_patchset("other", "setup.py", "# setup 30\n", "# other\n");
  toy.edit("setup.py", "# setup 30\n", "# thirty\n");
  toy.edit(kHeader, "// limits 10\n", "// limits ten\n");
  toy.commit("Say it");
  toy.release();
  CHECK(toy.port({"--keep-going"}).exit_code == 1);
  ConflictToy::settle_in(toy.path("desk/other/pytorch/setup.py"));
  const CliResult one = toy.go_on("--continue");
  CHECK(one.exit_code == 1);
  CHECK_THAT(one.out, Catch::Contains("lint: a conflict marker is left in 'pytorch/include/limits.h'"));
  CHECK_THAT(toy.patchset_json("other"), Catch::Contains("\"releases\": \"==1.2.0\""));
  CHECK_FALSE(std::filesystem::exists(toy.path("desk/other")));
  CHECK_THAT(toy.go_on("--skip").out, Catch::Contains("block-limit  left out"));
  CHECK_FALSE(std::filesystem::exists(toy.path("desk")));
}

TEST_CASE("port: what seems to be upstream waits for a person, and nothing is written") {
  const PortToy toy;
  toy.add_patchset("a-first", "setup.py", "# setup 30\n", "# other\n");
  toy.edit(kHeader, "// limits 10\n", "// limit of 512\n");
  toy.edit(kHeader, "// limits 50\n", "// another limit\n");
  toy.edit(kHeader, "// limits 30\n", "// thirty\n");
  write_file_atomically(toy.file("include/added.h"), "// added\n");
  toy.commit("Cap both");
  toy.release();
  std::filesystem::remove_all(toy.in_catalog("patchsets/block-limit/proof.json"));
  std::filesystem::remove_all(toy.in_catalog("patchsets/block-limit/proof"));
  const std::vector<std::string> before = toy.catalog_state();
  CHECK_THAT(toy.port().out, Catch::Contains("upstream seems to have the change, but no proof shows it"));
  CHECK(toy.catalog_state() == before);
  CHECK_THAT(toy.go_on("--continue").out, Catch::Contains("upstream seems to have the change"));
  CHECK(toy.catalog_state() == before);
  CHECK_THAT(toy.go_on("--skip").out, Catch::Contains("block-limit  left out"));
  CHECK_THAT(toy.patchset_json("a-first"), Catch::Contains("\"releases\": \">=1.1.0 <=1.2.0\""));
}

TEST_CASE("port: a patchset that does not go on is no reproach to those that it meets") {
  const PortToy toy;
  toy.add_patchset("a-first", kHeader, "// limits 30\n", "// other\n");
  toy.add_patchset("b-second", kHeader, "// limits 40\n", "// forty limits\n", ">=1.1.0");
  toy.edit(kHeader, "// limits 40\n", "// forty\n");
  toy.commit("Say forty");
  toy.release();
  const CliResult result = toy.port({"--keep-going"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("a-first      variant V1 of 1.1.0 applies unchanged") &&
                             Catch::Contains("b-second     conflict, from variant V1 of 1.1.0") &&
                             Catch::Contains("block-limit  variant V1 of 1.1.0 applies unchanged") &&
                             !Catch::Contains("certificates:"));
  CHECK_THAT(toy.patchset_json("a-first"), Catch::Contains("\"releases\": \">=1.1.0 <=1.2.0\""));
}

TEST_CASE("port: releases that a variant was not for are not given to it, and those behind keep theirs") {
  const PortToy toy;
  const std::string json = toy.in_catalog("patchsets/block-limit/patchset.json");
  SECTION("one in between has no variant") {
    toy.release("1.1.5");
    toy.edit(kHeader, "// limits 30\n", "// thirty\n");
    toy.commit("Say thirty");
    toy.release();
    CHECK(toy.port({"--json", "block-limit"}).exit_code == 0);
    CHECK_THAT(toy.patchset(), Catch::Contains("\"releases\": \"==1.1.0\"") &&
                                   Catch::Contains("\"releases\": \"==1.2.0\"") &&
                                   Catch::Contains("\"id\": \"1.2.0\""));
    CHECK_FALSE(file_exists(toy.in_catalog("patchsets/block-limit/certificates/1.1.5.json")));
  }
  SECTION("an id is taken") {
    toy.release("1.1.5");
    toy.release();
    test::edit(json, "\"id\": \"V1\"", "\"id\": \"1.2.0\"");
    CHECK(toy.port({"block-limit"}).exit_code == 0);
    CHECK_THAT(toy.patchset(), Catch::Contains("\"id\": \"1.2.0-port\""));
  }
  SECTION("the variant goes on behind the release") {
    toy.release("1.3.0");
    test::edit(json, "==1.1.0", ">=1.1.0");
    toy.upstream.certify();
    toy.edit(kHeader, "// limits 12\n", "// limits twelve\n");
    toy.commit("Say twelve");
    toy.release();
    CHECK(toy.port().exit_code == 0);
    CHECK_THAT(toy.patchset(), Catch::Contains("\"releases\": \">=1.1.0 <1.2.0\"") &&
                                   Catch::Contains("\"releases\": \"==1.2.0\"") &&
                                   Catch::Contains("\"id\": \"V1-port\",\n      \"releases\": \">1.2.0\""));
    toy.checks_out();
  }
  SECTION("a variant says already that it is for the release") {
    toy.edit(kHeader, "// limits 12\n", "// limits twelve\n");
    toy.commit("Say twelve");
    toy.release();
    test::edit(json, "\"variants\": [",
               R"("variants": [{"id": "V2", "releases": "==1.2.0", "patches": [
  {"file": "V1/0001-cap.patch", "sha256": ")" +
                   sha256(read_file(toy.in_catalog("patchsets/block-limit/V1/0001-cap.patch"))).hex() +
                   R"(", "repository": "torch"}]}, )");
    const CliResult result = toy.port();
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Catch::Contains("variant 'V2' of block-limit is for 1.2.0 already, but not certified there\n"
                                           "hint: 'torchpatch patch certify block-limit --version 1.2.0 --into DIR'"));
  }
}

TEST_CASE("port: a variant without patches is for the release where there is room for what it brings") {
  const PortToy toy;
  const std::string onnx = toy.upstream.mirror() + "/nested/deeper/onnx",
                    pinned = test::git(onnx, {"rev-parse", "HEAD"});
  test::git(onnx, {"commit", "-q", "--allow-empty", "-m", "other"});
  const std::string other = test::git(onnx, {"rev-parse", "HEAD"});
  toy.describe("pinned", concat(R"({"id": "V1", "releases": "==1.1.0", "overrides": [{"repository": )",
                                R"("torch:third_party/onnx", "replaces": ")", pinned,
                                R"(", "url": "https://example.org/onnx/onnx", "commit": ")", other, R"("}]})"));
  toy.write("patchsets/backend/files/new.h", "// new\n");
  toy.describe(
      "backend",
      concat(R"({"id": "V1", "releases": "==1.1.0", "files": [{"file": "files/new.h", "repository": "torch", )",
             R"("path": "include/new.h", "sha256": ")", sha256("// new\n").hex(), R"("}]})"),
      "files");
  toy.upstream.certify();
  SECTION("there is") {
    toy.release();
    const CliResult result = toy.port();
    CHECK_THAT(result.out, Catch::Contains("backend      variant V1 of 1.1.0 applies unchanged") &&
                               Catch::Contains("pinned       variant V1 of 1.1.0 applies unchanged"));
    for (const char* id : {"pinned", "backend"})
      CHECK_THAT(toy.patchset_json(id), Catch::Contains("\"releases\": \">=1.1.0 <=1.2.0\""));
    toy.checks_out();
  }
  SECTION("there is none") {
    write_file_atomically(toy.file("include/new.h"), "// theirs\n");
    test::git(onnx, {"commit", "-q", "--allow-empty", "-m", "third"});
    const std::string third = test::git(onnx, {"rev-parse", "HEAD"});
    test::git(toy.torch, {"add", "-A"});
    test::git(toy.torch, {"update-index", "--cacheinfo", concat("160000,", third, ",third_party/onnx")});
    test::git(toy.torch, {"commit", "-q", "-m", "Take another"});
    toy.release();
    const std::vector<std::string> before = toy.catalog_state();
    const CliResult result = toy.port();
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.out, Catch::Contains("to decide\n  backend: ") &&
                               Catch::Contains("torch:include/new.h: upstream has a file of that name"));
    CHECK(toy.catalog_state() == before);
    CHECK_THAT(toy.go_on("--skip").out,
               Catch::Contains(concat("certificates: the release pins torch:third_party/onnx at ", third,
                                      ", and variant 'V1' replaces ", pinned)));
    CHECK_THAT(toy.go_on("--skip").out, Catch::Contains("pinned       left out"));
    CHECK_FALSE(std::filesystem::exists(toy.path("desk")));
  }
  SECTION("the release has it") {
    write_file_atomically(toy.file("include/new.h"), "// new\n");
    test::git(toy.torch, {"add", "-A"});
    test::git(toy.torch, {"update-index", "--cacheinfo", concat("160000,", other, ",third_party/onnx")});
    test::git(toy.torch, {"commit", "-q", "-m", "Take it"});
    toy.release();
    CHECK_THAT(toy.port().out,
               Catch::Contains("backend      upstream has it") && Catch::Contains("pinned       upstream has it"));
    CHECK_THAT(toy.patchset_json("pinned"), Catch::Contains("\"ends\": \"1.2.0 has the change\""));
  }
}

TEST_CASE("port: the overrides of a variant with patches go along") {
  const PortToy toy;
  toy.upstream.add_override();
  toy.upstream.certify();
  toy.release("1.1.5");  // without a variant
  toy.release();
  const CliResult result = toy.port({"new-onnx"});
  INFO(result.out << result.err);
  CHECK_THAT(result.out, Catch::Contains("new-onnx  variant N1 of 1.1.0 applies unchanged"));
  const std::string json = toy.patchset_json("new-onnx");
  CHECK_THAT(json.substr(json.find("\"id\": \"1.2.0\"")), Catch::Contains("\"overrides\""));
  CHECK_THAT(read_file(toy.in_catalog("patchsets/new-onnx/certificates/1.2.0.json")), Catch::Contains("\"override\""));
}

TEST_CASE("port: what Python says of a settled file counts from the release's own") {
  const PortToy toy;
  toy.add_patchset("other", "setup.py", "# setup 30\n", "# other\n");
  toy.edit("setup.py", "# setup 1\n", "print(missing_upstream)\n");
  toy.edit("setup.py", "# setup 30\n", "# thirty\n");
  toy.commit("Say thirty");
  toy.release();
  CHECK(toy.port({"other"}).exit_code == 1);
  ConflictToy::settle_in(toy.path("desk/other/pytorch/setup.py"));
  const CliResult done = toy.go_on("--continue");
  INFO(done.out << done.err);
  CHECK_THAT(done.out, !Catch::Contains("missing_upstream"));
  CHECK_THAT(toy.patchset_json("other"), Catch::Contains("==1.2.0"));
}

TEST_CASE("port: a patchset whose old files are nowhere is left to a person, the others go on") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 30\n", "// thirty\n");
  toy.commit("Say thirty");
  toy.release();
  make_directories(toy.path("shallow"));
  test::git(toy.path("shallow"), {"clone", "-q", "--bare", "--depth", "1", "file://" + toy.torch, "torch"});
  const std::vector<std::string> before = toy.catalog_state();
  const CliResult result =
      toy.run({"port", "1.2.0", "--mirror", toy.path("shallow"), "--work", toy.path("desk"), "--quiet"});
  CHECK(result.err == "");
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("sources: no release to port it from: torch: commit ") &&
                             Catch::Contains(toy.upstream.torch_commit()));
  CHECK(toy.catalog_state() == before);
}

namespace {

/// A patchset "other" of one patch on torch, and what upstream makes of its files.
struct OtherToy : PortToy {
  std::string file_in_work(const std::string& name) const { return path("desk/other/pytorch/" + name); }
  std::string in_work(const std::vector<std::string>& arguments) const {
    return test::git(path("desk/other"), arguments);
  }
  std::string patch() const { return read_file(in_catalog("patchsets/other/1.2.0/0001.patch")); }
  /// Releases what torch has now, and carries.
  CliResult carry() const {
    commit("Change it upstream");
    release();
    return port({"other"});
  }
};

void let_run(const std::string& file) { std::filesystem::permissions(file, std::filesystem::perms(0755)); }

}  // namespace

TEST_CASE("port: the mode that a patch gives a file goes along, through a conflict, too") {
  OtherToy toy;
  write_file_atomically(toy.file("include/data"), std::string("a\0b", 3));
  toy.pin();
  toy.edit("setup.py", "# setup 30\n", "# other\n");
  let_run(toy.file("setup.py"));
  let_run(toy.file("include/data"));
  toy.take_patchset("other");
  toy.edit("setup.py", "# setup 30\n", "# thirty\n");
  write_file_atomically(toy.file("include/data"), std::string("c\0b", 3));
  CHECK_THAT(toy.carry().out, Catch::Contains("torch:setup.py: upstream changed the same lines") &&
                                  !Catch::Contains("torch:include/data"));
  const auto mode = std::filesystem::status(toy.file_in_work("setup.py")).permissions();
  CHECK((mode & std::filesystem::perms::owner_exec) != std::filesystem::perms::none);
  ConflictToy::settle_in(toy.file_in_work("setup.py"));  // writes it anew
  CHECK(test::git(toy.path("desk/other"), {"ls-files", "--stage", "pytorch/include/data"}).substr(0, 6) == "100755");
  let_run(toy.file_in_work("setup.py"));
  CHECK(toy.go_on("--continue").out != "");
  CHECK_THAT(toy.patch(), Catch::Contains("diff --git a/setup.py b/setup.py\nold mode 100644\nnew mode 100755\n") &&
                              Catch::Contains("a/include/data b/include/data\nold mode 100644\nnew mode 100755\n"));
}

TEST_CASE("port: a file that a patch makes has no room where upstream has a folder, or a file above it") {
  const OtherToy toy;
  write_file_atomically(toy.file("include/new"), "new\n");
  toy.take_patchset("other");
  SECTION("a folder") {
    make_directories(toy.file("include/new"));
    write_file_atomically(toy.file("include/new/x"), "x\n");
  }
  SECTION("a file above it") {
    std::filesystem::remove_all(toy.file("include"));
    write_file_atomically(toy.file("include"), "x\n");
  }
  CHECK_THAT(
      toy.carry().out,
      Catch::Contains(
          "torch:include/new: upstream has a directory at this path, or a file in place of one of its directories\n"));
  CHECK_THAT(toy.go_on("--continue").err,
             Catch::Contains("'pytorch/include/new' does not exist\nhint: add the change"));
  toy.in_work({"rm", "-q", "pytorch/include/new"});
  CHECK_THAT(toy.go_on("--continue").out, Catch::Contains("nothing is left of its patches, but no proof shows that"));
  CHECK_THAT(toy.go_on("--continue", {"--upstream"}).out, Catch::Contains("other  upstream has it"));
}

TEST_CASE("port: a file that a patch renames is merged with what upstream made of the old one") {
  const OtherToy toy;
  test::git(toy.torch, {"mv", "setup.py", "build.py"});
  toy.edit("build.py", "# setup 30\n", "# other\n");
  toy.take_patchset("other");
  SECTION("clean") {
    toy.edit("setup.py", "# setup 3\n", "# three\n");
    CHECK_THAT(toy.carry().out, Catch::Contains("other  variant V1 of 1.1.0 applies unchanged"));
  }
  SECTION("the same lines") {
    toy.edit("setup.py", "# setup 30\n", "# thirty\n");
    CHECK_THAT(toy.carry().out, Catch::Contains("torch:build.py: upstream changed the same lines: "));
    CHECK_THAT(read_file(toy.file_in_work("build.py")), Catch::Contains("# thirty\n||||||| 1.1.0\n# setup 30\n"));
    CHECK_FALSE(file_exists(toy.file_in_work("setup.py")));
    ConflictToy::settle_in(toy.file_in_work("build.py"));
    toy.go_on("--continue");
    CHECK_THAT(toy.patch(), Catch::Contains("\n+# other\n") && Catch::Contains("\n--- a/setup.py\n"));
  }
  SECTION("upstream renamed it, too") {
    SECTION("to the same name") { test::git(toy.torch, {"mv", "setup.py", "build.py"}); }
    SECTION("to another one") { test::git(toy.torch, {"mv", "setup.py", "make.py"}); }
    const bool is_same = file_exists(toy.file("build.py"));
    toy.edit(is_same ? "build.py" : "make.py", "# setup 3\n", "# three\n");
    CHECK_THAT(toy.carry().out, Catch::Contains("other  variant 1.2.0, made from variant V1 of 1.1.0"));
    CHECK_THAT(toy.patch(), Catch::Contains("+# other\n") && Catch::Contains(is_same ? "" : "+# three\n"));
    CHECK((toy.patch().find("deleted file") == std::string::npos) == is_same);
  }
  SECTION("upstream removed it") {
    test::git(toy.torch, {"rm", "-q", "setup.py"});
    CHECK_THAT(toy.carry().out, Catch::Contains("torch:setup.py: upstream removed it: "));
  }
  SECTION("upstream has another one of the new name") {
    write_file_atomically(toy.file("build.py"), "# theirs\n");
    CHECK_THAT(toy.carry().out, Catch::Contains("torch:build.py: upstream has a file of that name: "));
  }
}

TEST_CASE("port: a file that moved to where its folder was, or into a folder of its name") {
  OtherToy toy;
  const bool goes_up = GENERATE(true, false);
  if (goes_up) {
    make_directories(toy.file("deep"));
    test::git(toy.torch, {"mv", "setup.py", "deep/setup.py"});
    write_file_atomically(toy.file("deep/more"), "1\n");
    toy.pin();
    write_file_atomically(toy.file("deep/more"), "2\n");  // which goes with the folder
  }
  const std::string old_name = goes_up ? "deep/setup.py" : "setup.py", name = goes_up ? "deep" : "setup.py/setup.py";
  toy.edit(old_name, "# setup 30\n", "# other\n");
  toy.take_patchset("other");
  toy.edit(old_name, goes_up ? "# setup 3\n" : "# setup 30\n", "# thirty\n");
  test::git(toy.torch, {"mv", old_name, "moved"});
  if (goes_up)
    std::filesystem::remove_all(toy.file("deep"));
  else
    make_directories(toy.file("setup.py"));
  test::git(toy.torch, {"mv", "moved", name});
  const std::string said = toy.carry().out;
  if (goes_up) {
    CHECK_THAT(said, Catch::Contains("torch:deep/more: upstream removed it: "));
    CHECK(toy.in_work({"show", "ours:pytorch/deep/more"}) == "2");
  } else {
    CHECK_THAT(said, Catch::Contains("torch:setup.py, setup.py/setup.py now: upstream changed the same lines: "));
    for (const char* place : {"ours:pytorch/setup.py", ":3:pytorch/setup.py/setup.py"})
      CHECK_THAT(toy.in_work({"show", place}), Catch::Contains("# other\n"));
    ConflictToy::settle_in(toy.file_in_work(name));
  }
  toy.go_on("--continue", {"--drop"});
  CHECK_THAT(toy.patch(), Catch::Contains("\n+# other\n"));
}

TEST_CASE("port: lines like marks that the release has are none") {
  OtherToy toy;
  write_file_atomically(toy.file("notes"), "1\n<<<<<<< as git writes it\n=======\n>>>>>>> so\n2\n3\n4\n5\n");
  toy.pin();
  toy.edit("notes", "5\n", "other\n");
  toy.take_patchset("other");
  toy.edit("notes", "5\n", "five\n");
  CHECK(toy.carry().exit_code == 1);
  CHECK_THAT(toy.go_on("--continue").err, Catch::Contains("a conflict marker is left in 'pytorch/notes', line 8: "));
  write_file_atomically(toy.file_in_work("notes"), read_file(toy.file("notes")) + "other\n");
  toy.go_on("--continue");
  CHECK_THAT(toy.patch(), Catch::Contains("\n five\n+other\n"));
}

TEST_CASE("port: line ends that an editor changed are seen") {
  const OtherToy toy;
  toy.add_patchset("other", "setup.py", "# setup 30\n", "# other\n");
  toy.edit("setup.py", "# setup 30\n", "# thirty\n");
  CHECK(toy.carry().exit_code == 1);
  ConflictToy::settle_in(toy.file_in_work("setup.py"));
  const std::string text = read_file(toy.file_in_work("setup.py"));
  std::string windows;
  for (const char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
  write_file_atomically(toy.file_in_work("setup.py"), windows);
  CHECK_THAT(toy.go_on("--continue").out, Catch::Contains("lint: 'setup.py': its lines end in LF, and CRLF with the"));
  write_file_atomically(toy.file_in_work("setup.py"), text);
  toy.go_on("--continue");
  CHECK_THAT(toy.patch(), Catch::Contains("\n-# thirty\n+# other\n"));
}

TEST_CASE(
    "port: a conflict that was taken back is not settled, and one that was put aside comes back with its header") {
  const ConflictToy toy;
  SECTION("taken back, and laid again") {
    test::git(toy.work(), {"reset", "-q", "--hard"});
    toy.refuses("on the branch work 'git cherry-pick --no-commit ours' recreates a dropped conflict");
    test::git(toy.work(), {"checkout", "-q", "ours", "--", "pytorch"});
  }
  SECTION("put aside") {
    toy.settle();
    test::git(toy.work(), {"add", "-A"});
    test::git(toy.work(), {"stash", "-q"});
    toy.refuses("the work has commits for 0 patches, not for 1");
    test::git(toy.work(), {"stash", "pop", "-q"});
  }
  SECTION("a file that went by mistake") {
    std::filesystem::remove_all(toy.conflict());
    toy.refuses("'pytorch/include/limits.h' does not exist\nhint: add the change from 'git show :3:pytorch/include/");
    write_file_atomically(toy.conflict(), test::git(toy.work(), {"show", ":3:pytorch/" + kHeader}) + "\n");
  }
  CHECK(toy.go_on("--continue").exit_code == 0);
  CHECK_THAT(read_file(toy.in_catalog("patchsets/block-limit/1.2.0/0001-cap.patch")),
             Catch::StartsWith("Description: Cap the limit\nOrigin: vendor, Example\n"));
  toy.checks_out();
}

TEST_CASE("port: what is settled is not what is left out") {
  const PortToy toy;
  toy.add_patchset("other", "setup.py", "# setup 30\n", "# other\n");
  toy.edit("setup.py", "# setup 30\n", "# thirty\n");
  toy.edit(kHeader, "// limits 10\n", "// limits ten\n");
  toy.commit("Say it");
  toy.release();
  CHECK(toy.port({"--keep-going"}).exit_code == 1);
  ConflictToy::settle_in(toy.work() + "/pytorch/" + kHeader);
  CHECK_THAT(toy.go_on("--skip").out, Catch::Contains("block-limit  variant 1.2.0, made from variant V1 of 1.1.0\n") &&
                                          Catch::Contains("other        left out\n"));
}

TEST_CASE("port: a work that is damaged can be left out") {
  const ConflictToy toy;
  std::filesystem::remove_all(toy.work() + "/.git/objects");
  CHECK(toy.go_on("--continue").exit_code == 7);
  CHECK_THAT(toy.go_on("--skip").out, Catch::Contains("block-limit  left out"));
}

TEST_CASE("port: locks of a git that was ended by force") {
  const ConflictToy toy;
  toy.settle();
  const std::string lock = toy.work() + "/.git/index.lock";
  write_file_atomically(toy.work() + "/.git/torchpatch.index.lock", "");
  write_file_atomically(lock, "");
  const CliResult result = toy.go_on("--continue");
  CHECK(result.exit_code == 7);
  CHECK_THAT(result.err,
             Catch::Contains("index.lock\\': File exists.'\nhint: another git process is running there; if not"));
  SECTION("which the person removes") { std::filesystem::remove(lock); }
  SECTION("when the run had begun to write") {
    const std::string behind = test::git(toy.work(), {"rev-parse", "theirs"});
    test::edit(toy.work() + "/.git/torchpatch-port.json", "\"behind\": \"\"", concat("\"behind\": \"", behind, "\""));
    test::edit(toy.work() + "/.git/torchpatch-port.json", "\"has_conflict\": true", "\"has_conflict\": false");
    CHECK(toy.go_on("--continue").exit_code == 1);
    toy.settle();
  }
  CHECK(toy.go_on("--continue").exit_code == 0);
}
