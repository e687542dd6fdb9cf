// SPDX-License-Identifier: BSD-3-Clause
// port: what becomes of a patchset at the next release.
#include "upkeep/port/port.h"
#include "command/port_toy.h"
#include "upkeep/edit/entries.h"

using namespace torchpatch;
using test::CliResult;
using test::kHeader;
using test::PortToy;

namespace {

/// What look_at_python says, where nobody is to blame.
std::vector<PortGate> look(const std::vector<upkeep::ChangedText>& files) {
  return upkeep::look_at_python(files, [](const upkeep::ChangedText&, const std::string&) { return std::nullopt; });
}

}  // namespace

TEST_CASE("port: patches that apply as they are: the variant is for the release, too") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 30\n", "// limits 30\n// one more\n");
  toy.commit("Add a line");
  toy.release();
  const CliResult result = toy.port();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out,
             Catch::Contains("block-limit  variant V1 of 1.1.0 applies unchanged") &&
                 Catch::EndsWith("certificates and proofs are recorded; 'torchpatch check --version 1.2.0' lists "
                                 "what is left to do\n"));
  CHECK_THAT(toy.patchset(), Catch::Contains("\"releases\": \">=1.1.0 <=1.2.0\""));
  CHECK(toy.is_certified());
  CHECK_THAT(read_file(toy.in_catalog("patchsets/block-limit/proofs/1.2.0.json")), Catch::Contains("\"proven\""));
  toy.checks_out();
  CHECK_FALSE(std::filesystem::exists(toy.path("desk")));
  CHECK_THAT(
      toy.port().out,
      Catch::Contains("nothing to do: each patchset that 1.1.0 and 1.2.0 need has a variant for it; name those that "
                      "ended earlier to carry them\n"));
}

TEST_CASE("port: patches that are merged: a new variant with the old headers and names") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 12\n", "// limits twelve\n");
  toy.commit("Say twelve");
  toy.release();
  const CliResult result = toy.port({"--json"});
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("\"result\": \"ported\"") && Catch::Contains("\"variant\": \"1.2.0\""));
  CHECK_THAT(toy.patchset(),
             Catch::Contains("\"releases\": \"==1.1.0\"") && Catch::Contains("\"releases\": \"==1.2.0\"") &&
                 Catch::Contains("1.2.0/0001-cap.patch") && Catch::Contains("1.2.0/0002-cap-more.patch"));
  CHECK_THAT(read_file(toy.in_catalog("patchsets/block-limit/1.2.0/0001-cap.patch")),
             Catch::StartsWith("Description: Cap the limit\nOrigin: vendor, Example\n") &&
                 Catch::Contains("\nLast-Update: 2023-11-14\n") && Catch::Contains("\n // limits twelve\n"));
  toy.checks_out();
}

TEST_CASE("port: a file that upstream renamed is found by the history") {
  const PortToy toy;
  test::git(toy.torch, {"mv", kHeader, "include/bounds.h"});
  toy.commit("Call it bounds");
  toy.edit("include/bounds.h", "// limits 12\n", "// limits twelve\n");
  toy.commit("Say twelve");
  toy.release();
  test::edit(toy.in_catalog("patchsets/block-limit/proof.json"), ">=1.1.0", "==1.1.0");  // it looks for the old name
  const CliResult result = toy.port();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("proof 'limit' is for '==1.1.0'; at 1.2.0 it fails with the patches: "));
  CHECK_THAT(read_file(toy.in_catalog("patchsets/block-limit/1.2.0/0001-cap.patch")),
             Catch::Contains("--- a/include/bounds.h\n"));
  CHECK(toy.is_certified());
}

TEST_CASE("port: a proof that is not made for the release is tried there, and a person decides whether it is enough") {
  const PortToy toy;
  toy.release();
  const std::string proof = toy.in_catalog("patchsets/block-limit/proof.json");
  test::edit(proof, ">=1.1.0", "==1.1.0");
  const std::string before = read_file(proof);
  const CliResult result = toy.port();
  CHECK(result.exit_code == 1);
  CHECK_THAT(
      result.out,
      Catch::Contains("  block-limit: proof: proof 'limit' is for '==1.1.0'; at 1.2.0 it also fails "
                      "without the patches and passes with them here; if its claim still holds, widen its range\n"));
  CHECK(read_file(proof) == before);
  CHECK(toy.is_certified());
}

TEST_CASE("port: the history of a file that upstream renamed") {
  PortToy toy;
  std::string lost;  // an object that is not available
  const auto carry = [&](const std::string& from, const std::string& to) {
    toy.edit(from, "// limits 10\n", "// limits ten\n");
    const std::string blamed = toy.commit("Say ten").substr(0, 12);
    if (!lost.empty()) std::filesystem::remove(toy.torch + "/.git/objects/" + lost.substr(0, 2) + "/" + lost.substr(2));
    toy.release();
    CHECK_THAT(toy.port().out, Catch::Contains(concat("torch:include/limits.h", to,
                                                      ": upstream changed the same lines: ", blamed, " Say ten")));
  };
  SECTION("and back again") {
    test::git(toy.torch, {"mv", kHeader, "include/bounds.h"});
    toy.commit("Call it bounds");
    test::git(toy.torch, {"mv", "include/bounds.h", kHeader});
    toy.commit("Call it limits");
    carry(kHeader, "");
  }
  SECTION("as it is, where the content of another new file of its name is not available") {
    make_directories(toy.file("other"));
    write_file_atomically(toy.file("other/limits.h"), "// others\n");
    test::git(toy.torch, {"mv", kHeader, "include/bounds.h"});
    toy.commit("Call it bounds");
    lost = test::git(toy.torch, {"rev-parse", "HEAD:other/limits.h"});
    carry("include/bounds.h", ", include/bounds.h now");
  }
  SECTION("in a clone that ends at the old release") {
    write_file_atomically(toy.file("more"), "more\n");
    toy.pin();
    lost = toy.upstream.torch_commit();
    test::git(toy.torch, {"mv", kHeader, "include/bounds.h"});
    toy.commit("Call it bounds");
    write_file_atomically(toy.torch + "/.git/shallow", toy.pinned + "\n");
    carry("include/bounds.h", ", include/bounds.h now");
  }
}

TEST_CASE("port: a conflict is left to a person, with the commit that is to blame, and nothing is written") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 40\n", "// forty\n");
  toy.commit("Say forty");
  toy.edit(kHeader, "// limits 10\n", "// limits ten\n");
  const std::string blamed = toy.commit("Say ten");
  toy.edit(kHeader, "// limits 20\n", "// twenty\n");
  toy.commit("Say twenty");
  toy.release();
  const std::vector<std::string> before = toy.catalog_state();
  const CliResult result = toy.port();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains(concat("torch:include/limits.h: upstream changed the same lines: ",
                                                blamed.substr(0, 12), " Say ten")));
  CHECK(toy.catalog_state() == before);
  const std::string text = read_file(toy.work() + "/pytorch/include/limits.h");
  CHECK_THAT(text, Catch::Contains("<<<<<<< 1.2.0\n// limits ten\n||||||| 1.1.0\n// limits 10\n=======\n// limit of "
                                   "512\n>>>>>>> 1.1.0 with the patch\n"));
  CHECK_THAT(test::git(toy.work(), {"show", "ours:pytorch/include/limits.h"}), Catch::Contains("// limit of 512"));
  CHECK_THAT(test::git(toy.work(), {"show", "base:pytorch/include/limits.h"}), Catch::Contains("// limits 10\n"));
  CHECK_THAT(test::git(toy.work(), {"show", "theirs:pytorch/include/limits.h"}), Catch::Contains("// limits ten"));
  CHECK(test::git(toy.work(), {"status", "--porcelain"}) == "UU pytorch/include/limits.h");

  SECTION("which goes on when it is settled, with the patches behind it") {
    CHECK(toy.go_on("--continue").exit_code == 5);
    CHECK_THAT(toy.go_on("--continue").err, Catch::Contains("a conflict marker is left in "
                                                            "'pytorch/include/limits.h', line 10: '<<<<<<< 1.2.0'"));
    std::string mended = text;
    const std::size_t begin = mended.find("<<<<<<<"), end = mended.find('\n', mended.find(">>>>>>>")) + 1;
    write_file_atomically(toy.work() + "/pytorch/include/limits.h",
                          mended.replace(begin, end - begin, "// limit of 512\n"));
    const CliResult done = toy.go_on("--continue");
    CHECK(done.err.empty());
    CHECK(done.exit_code == 0);
    CHECK_THAT(toy.patchset(), Catch::Contains("1.2.0/0002-cap-more.patch"));
    CHECK_THAT(read_file(toy.in_catalog("patchsets/block-limit/1.2.0/0001-cap.patch")),
               Catch::Contains("-// limits ten\n+// limit of 512\n"));
    CHECK_FALSE(std::filesystem::exists(toy.path("desk")));
    toy.checks_out();
  }
  SECTION("which is committed by git, with the header that lies there") {
    test::git(toy.work(), {"checkout", "-q", "--theirs", "."});
    test::git(toy.work(), {"commit", "-q", "-a", "--no-edit"});
    CHECK(toy.go_on("--continue").exit_code == 0);
    toy.checks_out();
  }
  SECTION("which patch certify and check blame, too, where the range says that the patch fits") {
    test::edit(toy.in_catalog("patchsets/block-limit/patchset.json"), "==1.1.0", ">=1.1.0");
    const std::string because = concat("; upstream changed it in ", blamed.substr(0, 12), " (Say ten)");
    const std::vector<std::string> from = {"--mirror", toy.upstream.mirror(), "--version", "1.2.0"};
    for (std::vector<std::string> line :
         std::vector<std::vector<std::string>>{{"patch", "certify", "--into", toy.in_catalog("")}, {"check"}}) {
      line.insert(line.end(), from.begin(), from.end());
      const CliResult said = toy.run(line);
      CHECK(said.exit_code != 0);
      CHECK_THAT(said.out + said.err, Catch::Contains(because));
    }
  }
  SECTION("which is left out") {
    const CliResult done = toy.go_on("--skip");
    CHECK(done.exit_code == 1);
    CHECK_THAT(done.out, Catch::Contains("block-limit  left out"));
    CHECK(toy.catalog_state() == before);
  }
  SECTION("which is given up") {
    CHECK(toy.go_on("--abort").exit_code == 0);
    CHECK_FALSE(std::filesystem::exists(toy.path("desk")));
    CHECK(toy.catalog_state() == before);
  }
  SECTION("which no other port may disturb") {
    CHECK(toy.port().exit_code == 7);
    CHECK_THAT(toy.port().err, Catch::Contains("a port is in progress in '$TMP/desk'\n"));
  }
}

TEST_CASE("port: what upstream has ends the variant, with the commit that brought it") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 10\n", "// limit of 512\n");
  toy.commit("Cap it");
  toy.edit(kHeader, "// limits 50\n", "// another limit\n");
  write_file_atomically(toy.file("include/added.h"), "// added\n");
  const std::string brought = toy.commit("Cap the other");
  toy.release();
  const CliResult result = toy.port();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains(concat("upstream has it: ", brought.substr(0, 12), " Cap the other")));
  CHECK_THAT(toy.patchset(),
             Catch::Contains(concat("\"ends\": \"1.2.0 has the change: ", brought, " (Cap the other)\"")));
  CHECK_FALSE(toy.is_certified());
  toy.checks_out();
}

TEST_CASE("port: what seems to be upstream, by the lines alone, is asked for where no proof says so") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 10\n", "// limit of 512\n");
  toy.edit(kHeader, "// limits 50\n", "// another limit\n");
  toy.edit(kHeader, "// limits 30\n", "// thirty\n");
  write_file_atomically(toy.file("include/added.h"), "// added\n");
  toy.commit("Cap both");
  toy.release();
  SECTION("it holds") {
    const CliResult result = toy.port();
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Catch::Contains("upstream has it"));
  }
  SECTION("there is none") {
    std::filesystem::remove_all(toy.in_catalog("patchsets/block-limit/proof.json"));
    std::filesystem::remove_all(toy.in_catalog("patchsets/block-limit/proof"));
    const std::vector<std::string> before = toy.catalog_state();
    const CliResult result = toy.port();
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.out, Catch::Contains("upstream seems to have the change, but no proof shows it"));
    CHECK(toy.go_on("--continue").exit_code == 1);
    CHECK(toy.catalog_state() == before);
    SECTION("and a person says so") {
      const CliResult said = toy.go_on("--continue", {"--upstream"});
      CHECK(said.exit_code == 0);
      CHECK_THAT(toy.patchset(), Catch::Contains("\"ends\": \"1.2.0 has the change"));
      CHECK_FALSE(std::filesystem::exists(toy.path("desk")));
    }
    SECTION("and it is left out") { CHECK_THAT(toy.go_on("--skip").out, Catch::Contains("block-limit  left out")); }
  }
}

TEST_CASE("port: a patch of which nothing is left is left out, and the others keep order and names") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 50\n", "// another limit\n");
  toy.edit(kHeader, "// limits 30\n", "// thirty\n");
  write_file_atomically(toy.file("include/added.h"), "// added\n");
  const std::string brought = toy.commit("Cap the other");
  const std::string left_out = concat("V1/0002-cap-more.patch dropped: upstream has it: ", brought.substr(0, 12));
  SECTION("the proof shows that the rest is enough") {
    toy.release();
    const CliResult result = toy.port();
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Catch::Contains(left_out));
  }
  SECTION("behind a conflict, which is settled") {
    toy.edit(kHeader, "// limits 10\n", "// limits ten\n");
    toy.commit("Say ten");
    toy.release();
    CHECK(toy.port().exit_code == 1);
    test::git(toy.work(), {"checkout", "-q", "theirs", "--", "pytorch"});
    test::edit(toy.work() + "/pytorch/" + kHeader, "// limits ten\n", "// limit of 512\n");
    const CliResult result = toy.go_on("--continue");
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Catch::Contains(left_out));
  }
  SECTION("no proof says so") {
    toy.release();
    std::filesystem::remove_all(toy.in_catalog("patchsets/block-limit/proof.json"));
    std::filesystem::remove_all(toy.in_catalog("patchsets/block-limit/proof"));
    const std::vector<std::string> before = toy.catalog_state();
    for (const CliResult& result : {toy.port(), toy.go_on("--continue")}) {
      CHECK(result.exit_code == 1);
      CHECK_THAT(result.out,
                 Catch::Contains(left_out) &&
                     Catch::Contains("proof: none shows that the variant works without what was dropped; "));
      CHECK(toy.catalog_state() == before);
    }
    CHECK_THAT(toy.go_on("--continue", {"--upstream"}).out, Catch::Contains(left_out));
  }
  CHECK_THAT(toy.patchset(), Catch::Contains("1.2.0/0001-cap.patch") && !Catch::Contains("1.2.0/0002-cap-more.patch"));
  CHECK_FALSE(file_exists(toy.in_catalog("patchsets/block-limit/1.2.0/0002-cap-more.patch")));
  CHECK(toy.is_certified());
  toy.checks_out();
}

TEST_CASE("port: a patch on a submodule that the release has not goes only when that is asked for") {
  const PortToy toy;
  toy.add_patchset("other", "setup.py", "# setup 30\n", "# other\n");
  const std::string on_torch = read_file(toy.in_catalog("patchsets/other/V1/0001.patch")),
                    onnx = toy.upstream.mirror() + "/nested/deeper/onnx";
  test::edit(onnx + "/onnx.h", "// onnx 10\n", "// ten\n");
  const std::string on_onnx =
      concat(on_torch.substr(0, on_torch.find("diff --git")), test::git(onnx, {"diff", "--full-index"}), "\n");
  toy.write("patchsets/other/V1/0000.patch", on_onnx);
  toy.describe("other",
               concat(R"({"id": "V1", "releases": "==1.1.0", "patches": [
  {"file": "V1/0000.patch", "repository": "torch:third_party/onnx", "sha256": ")",
                      sha256(on_onnx).hex(), R"("}, {"file": "V1/0001.patch", "repository": "torch", "sha256": ")",
                      sha256(on_torch).hex(), R"("}]})"));
  toy.upstream.certify();
  test::git(toy.torch, {"rm", "-q", "--cached", "third_party/onnx", ".gitmodules"});
  std::filesystem::remove_all(toy.file("third_party"));
  std::filesystem::remove(toy.file(".gitmodules"));
  const std::string removed = toy.commit("Do without onnx").substr(0, 12);
  toy.release();
  CHECK_THAT(toy.port({"other"}).out,
             Catch::Contains(concat("torch:third_party/onnx: the release has no such repository: ", removed)));
  CHECK_THAT(toy.go_on("--continue").err, Catch::Contains("upstream removed 'pytorch/third_party/onnx', which the"));
  CHECK_THAT(toy.go_on("--continue", {"--drop"}).out,
             Catch::Contains("V1/0000.patch dropped: it changes nothing\n") &&
                 Catch::Contains("proof: none shows that the variant works without what was dropped; "));
  CHECK_THAT(toy.go_on("--continue", {"--upstream"}).out, Catch::Contains("variant 1.2.0, made from variant V1"));
  CHECK_THAT(toy.patchset_json("other"), Catch::Contains("1.2.0/0001.patch") && !Catch::Contains("1.2.0/0000.patch"));
}

TEST_CASE("port: a line that upstream adds as well, elsewhere, is no clean merge") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 30\n", "// limit of 512\n");
  const std::string added = toy.commit("Cap it elsewhere");
  toy.release();
  const CliResult result = toy.port();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("upstream seems to have the change") && Catch::Contains(added.substr(0, 12)));
}

TEST_CASE("port: what is done to a file that upstream removed is dropped only when that is asked for") {
  const PortToy toy;
  test::git(toy.torch, {"rm", "-q", kHeader});
  const std::string removed = toy.commit("Remove it");
  toy.release();
  const CliResult result = toy.port();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out,
             Catch::Contains(concat("torch:include/limits.h: upstream removed it: ", removed.substr(0, 12))));
  CHECK(toy.go_on("--abort").exit_code == 0);
}

TEST_CASE("port: a fix that a proof refutes is not written, however clean it came out") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 12\n", "// limits twelve\n");
  toy.commit("Say twelve");
  toy.release();
  write_file_atomically(toy.in_catalog("patchsets/block-limit/proof/limit.sh"),
                        "grep -q 'limit of 512' \"$1\" || { echo 'the limit is not 512'; exit 3; }\n"
                        "! grep -q 'limits twelve' \"$1\" || { echo 'twelve is new'; exit 3; }\n");
  const std::vector<std::string> before = toy.catalog_state();
  const CliResult result = toy.port();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("proof: proof 'limit' fails with the patches: 'twelve is new'"));
  CHECK(toy.catalog_state() == before);
}

TEST_CASE("port: the patchset of a layer below the release's is replaced there") {
  const PortToy toy;
  toy.edit(kHeader, "// limits 12\n", "// limits twelve\n");
  toy.commit("Say twelve");
  toy.release();
  make_directories(toy.path("mine/releases"));
  std::filesystem::rename(toy.in_catalog("releases/1.2.0.json"), toy.path("mine/releases/1.2.0.json"));
  const std::vector<std::string> before = toy.catalog_state();
  const CliResult result = toy.port({"--catalog", toy.path("mine")});
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK(toy.catalog_state() == before);
  CHECK_THAT(read_file(toy.path("mine/patchsets/block-limit/patchset.json")),
             Catch::Contains(concat("\"replaces\": \"", sha256(toy.patchset()).hex(), "\"")));
  for (const char* name : {"V1/0001-cap.patch", "1.2.0/0001-cap.patch", "proof.json", "certificates/1.2.0.json"})
    CHECK(file_exists(toy.path("mine/patchsets/block-limit/") + name));
  const CliResult checked =
      toy.run({"check", "--catalog", toy.path("mine"), "--mirror", toy.upstream.mirror(), "--quiet"});
  INFO(checked.out << checked.err);
  CHECK(checked.exit_code == 0);
}

TEST_CASE("port: refuses what it cannot do") {
  const PortToy toy;
  toy.release();
  const auto refuses = [&](const std::vector<std::string>& line, int code, const std::string& message) {
    const CliResult result = toy.run(line);
    CHECK(result.exit_code == code);
    CHECK_THAT(result.err, Catch::Contains(message));
  };
  refuses({"port"}, 2, "missing: VERSION");
  refuses({"port", "9.9.9", "--mirror", toy.upstream.mirror()}, 2,
          "'torchpatch release add 9.9.9 --into DIR' creates its file");
  refuses({"port", "1.2.0", "--continue"}, 2, "can only be used with --work");
  refuses({"port", "--continue", "--abort"}, 2, "can only be used with --work");
  refuses({"port", "1.2.0", "nothing"}, 2, "nothing");
  refuses({"port", "1.2.0", "block-limit", "--from", "V9", "--mirror", toy.upstream.mirror()}, 2, "it has V1");
  refuses({"port", "--abort", "--work", toy.path("desk")}, 7, "no port in progress in ");
}

TEST_CASE("widened_range and ended_range: bound a range on the side where the release lies") {
  const auto range = [](const char* text) { return VersionRange::parse(text).value(); };
  const Version newer = Version::parse("1.4.0").value(), older = Version::parse("1.0.0").value();
  using upkeep::Direction;
  CHECK(upkeep::widened_range(range(">=1.2.0 <1.4.0"), newer, Direction::newer) == ">=1.2.0 <=1.4.0");
  CHECK(upkeep::widened_range(range("==1.2.0"), newer, Direction::newer) == ">=1.2.0 <=1.4.0");
  CHECK(upkeep::widened_range(range(">=1.2.0"), newer, Direction::newer) == ">=1.2.0");
  CHECK(upkeep::widened_range(range(">=1.2.0 <1.4.0"), older, Direction::older) == ">=1.0.0 <1.4.0");
  CHECK(upkeep::ended_range(range(">=1.2.0"), newer, Direction::newer) == ">=1.2.0 <1.4.0");
  CHECK(upkeep::ended_range(range("<2.0"), older, Direction::older) == ">1.0.0 <2.0");
  CHECK(upkeep::ended_range(range("==1.2.0"), newer, Direction::newer) == "==1.2.0");
}

TEST_CASE("port: a name that upstream took away is a conflict with its commit, though the patch applies") {
  const PortToy toy;
  write_file_atomically(toy.file("build.py"), "import os\nfrom sys import path as parent\n\n\n# build\n");
  write_file_atomically(toy.file("other.py"), "import os\n\n\n\n# other\n");
  toy.commit("Build by Python");
  toy.release();
  toy.add_patchset("mine", "other.py", "# other\n", "print(nobody)\n", "==1.2.0");
  std::filesystem::remove(toy.in_catalog("results/1.1.0.json"));  // which has no variant
  toy.add_patchset("names", "build.py", "# build\n", "print(parent)\n", "==1.2.0");
  std::filesystem::remove(toy.in_catalog("results/1.1.0.json"));  // which has no variant
  toy.edit("build.py", "from sys import path as parent\n", "");
  const std::string blamed = toy.commit("Have no parent");
  toy.edit("build.py", "import os\n", "import os\nimport sys\n");
  toy.edit("other.py", "import os\n", "import sys\n");
  toy.commit("Say sys");
  toy.release("1.3.0");
  const std::vector<std::string> before = toy.catalog_state();
  const CliResult result = toy.go({"port", "1.3.0", "names"}, {});
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("  names  conflict, from variant V1 of 1.2.0, in ") &&
                             Catch::Contains(concat(
                                 "  names: python: 'build.py': line 5 uses 'parent', which the file does not define: ",
                                 blamed.substr(0, 12), " Have no parent\n")));
  CHECK(toy.go_on("--abort").exit_code == 0);
  CHECK_THAT(toy.go({"port", "1.3.0", "mine"}, {}).out,  // it never was there: nobody is to blame
             Catch::Contains("  mine: python: 'other.py': line 5 uses 'nobody', which the file does not define\n"));
  CHECK(toy.catalog_state() == before);
}

TEST_CASE("look_at_python: names that the patched file uses and nobody binds, and what cannot be compiled") {
  const RepositoryPath torch;
  const std::string before = "import os\nprint(os.name, missing)\n";
  const auto messages = [](const std::vector<PortGate>& gates) {
    std::string text;
    for (const PortGate& gate : gates) text += concat(gate.message, gate.is_wrong ? "!" : "", "\n");
    return text;
  };
  CHECK(messages(look({{torch, "setup.py", before, before}, {torch, "a.cpp", "", "("}})).empty());
  CHECK(messages(look({{torch, "setup.py", before, before + "build_ext_parent()\n"}})) ==
        "'setup.py': line 3 uses 'build_ext_parent', which the file does not define!\n");
  CHECK_THAT(messages(look({{torch, "setup.py", before, "def f(:\n"}})),
             Catch::Contains("it cannot be compiled: line 1"));
}

TEST_CASE("look_at_python: what python3 could not compile before either is no reproach to the patch") {
  const RepositoryPath torch;
  const std::string old = "print 'two'\n";
  const std::vector<PortGate> gates = look({{torch, "old.py", old, old + "x = 1\n"}});
  REQUIRE(gates.size() == 1);
  CHECK_FALSE(gates[0].is_wrong);
  CHECK_THAT(
      gates[0].message,
      Catch::StartsWith("'old.py': names not checked, since python3 cannot compile it with or without the patch: "));
}
