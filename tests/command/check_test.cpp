// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"

using namespace torchpatch;
using test::CliResult;
using test::git;

namespace {

struct Checking : test::ToyWorkspace {
  CliResult check(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"check", "--quiet"});
    return run(more);
  }
  CliResult check_sources(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--mirror", upstream.mirror()});
    return check(more);
  }
  std::string file(const std::string& name) const { return upstream.catalog_directory() + "/" + name; }
  void replace(const std::string& name, const std::string& text, const std::string& by) const {
    std::string bytes = read_file(file(name));
    const std::size_t place = bytes.find(text);
    REQUIRE(place != std::string::npos);
    write_file_atomically(file(name), bytes.replace(place, text.size(), by));
  }
};

const char* const kCertificate = "patchsets/block-limit/certificates/1.1.0.json";

}  // namespace

TEST_CASE("check: without sources the plans are told, and that nothing was applied") {
  const Checking toy;
  const CliResult result = toy.check();
  CHECK(result.err.empty());
  CHECK_THAT(result.out, !Catch::Contains("left to do"));
  CHECK_THAT(toy.check({"--version", "1.1.0"}).out,
             Catch::Contains("\n  left to do for 1.1.0: 1 source is not verified (version, date, python, components, "
                             "build_tools, environment); 1 patchset has no proof (block-limit)\n"));
  CHECK_THAT(toy.check({"--version", "1.1.0", "--json"}).out,
             Catch::Contains("\"unverified\": 1,\n      \"unproven\": 1,\n"));
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out,
             Catch::Contains("uncertified: the patch has no certificate\n"
                             "  block-limit, 1.1.0, on small\n      variant V1: patch 'V1/0001-cap.patch' has "
                             "no certificate for torch at "));
  CHECK_THAT(result.out,
             Catch::EndsWith("\n4 cells (release, board, image, issue): 0 applied, 2 environment, 0 files, "
                             "0 advice, 1 not_affected, 0 fixed_upstream, 1 uncertified, 0 broken, 0 undecided\n"
                             "  no sources: no patch was applied (--mirror DIR applies them)\n"));
}

TEST_CASE("check: a patchset without a variant for a release that its issue affects is left to do") {
  const Checking toy;
  toy.replace("patchsets/block-limit/patchset.json", "==1.1.0", ">=1.2.0");
  CHECK_THAT(toy.check({"--version", "1.1.0"}).out,
             Catch::Contains("; 1 patchset that fixes an issue of the release has no variant for it (block-limit)\n"));
}

TEST_CASE("check: a certified patch is applied and compared") {
  const Checking toy;
  toy.upstream.certify();
  const CliResult result = toy.check_sources();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("1.1.0   0   1\n") && Catch::Contains(": 1 applied, 2 environment, 0 files, 0 "
                                                                               "advice, 1 not_affected, 0 "
                                                                               "fixed_upstream, 0 uncertified, 0 "
                                                                               "broken, 0 undecided\n"));
}

TEST_CASE("check: recorded submodules that are not those of the closure are a finding") {
  const Checking toy;
  toy.upstream.certify();
  toy.replace("results/1.1.0.json", "https://example.org/onnx/onnx.git", "https://example.org/onnx/other.git");
  CHECK(toy.check().exit_code == 0);
  const CliResult result = toy.check_sources();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out,
             Catch::Contains(
                 concat("results/1.1.0.json: submodules.", toy.upstream.torch_commit(),
                        ": these submodules differ from those of torch; update them with 'results record --version "
                        "1.1.0'\n")));
  std::filesystem::remove_all(toy.upstream.mirror() + "/nested");  // what is not here cannot be compared
  CHECK_THAT(toy.check_sources().out, !Catch::Contains("these submodules differ"));
}

TEST_CASE("check: a patch without certificate is tried") {
  const Checking toy;
  const CliResult result = toy.check_sources({"--board", "small"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("    applies, but variant V1: patch 'V1/0001-cap.patch' has no certificate"));
}

TEST_CASE("check: a patch that makes another blob than its certificate says is broken") {
  const Checking toy;
  toy.upstream.certify();
  const std::string hex = git(toy.upstream.mirror() + "/torch", {"rev-parse", "HEAD:include/added.h"});
  toy.replace(kCertificate, hex, std::string(40, '1'));
  const CliResult result = toy.check_sources();
  CHECK(result.exit_code == 1);
  CHECK_THAT(
      result.out,
      Catch::Contains("broken: the result of the patch differs from its certificate\n"
                      "  block-limit, 1.1.0, on small\n      while applying 'block-limit/V1/0002-cap-more.patch': "
                      "wrong content: 'include/added.h': after the patch: found blob " +
                      hex + ", the certificate has blob " + std::string(40, '1')));
  CHECK_THAT(toy.check_sources({"--format", "junit"}).out,
             Catch::Contains("<testcase classname=\"torch 1.1.0\" name=\"small one\">\n      <failure message=\"1 "
                             "broken\">block-limit: "));
}

TEST_CASE("check: one altered byte in a patch is a finding") {
  const Checking toy;
  toy.replace("patchsets/block-limit/V1/0001-cap.patch", "limit of 512", "limit of 513");
  for (const CliResult& result : {toy.check(), toy.check_sources()}) {
    CHECK(result.exit_code == 1);
    CHECK(result.err.empty());
    CHECK_THAT(result.out,
               Catch::Contains("findings in the data\n  $TOY/catalog/patchsets/block-limit/patchset.json:"));
  }
}

TEST_CASE("check: the form of a patch counts as well") {
  const Checking toy;
  const std::string patch = "patchsets/block-limit/V1/0001-cap.patch";
  const std::string before = sha256(read_file(toy.file(patch))).hex();
  toy.replace(patch, "Forwarded: no", "Forwarded: maybe");
  toy.replace("patchsets/block-limit/patchset.json", before, sha256(read_file(toy.file(patch))).hex());
  const CliResult result = toy.check();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("findings in the data\n  patchsets/block-limit/V1/0001-cap.patch:4: the field "
                                         "'Forwarded' must be 'no', 'not-needed' or an http or https link\n"));
}

TEST_CASE("check: all findings of the data are told") {
  const Checking toy;
  toy.replace("boards/plain.json", "\"arch\"", "\"brand\": \"x\", \"arch\"");
  toy.replace("boards/small.json", "\"memory_mib\": 1024", "\"memory_mib\": \"much\"");
  const CliResult result = toy.check({"--json"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("\"key\": \"brand\"") && Catch::Contains("\"key\": \"memory_mib\""));
}

TEST_CASE("check: what upstream has fixed, and what it does not have yet, is told apart") {
  const Checking toy;
  toy.upstream.certify();
  const std::string torch = toy.upstream.mirror() + "/torch";
  const std::string fixed = git(torch, {"rev-parse", "HEAD"});
  git(torch, {"rm", "-q", "include/limits.h", "include/added.h"});
  git(torch, {"commit", "-q", "-m", "without"});
  const std::string without = git(torch, {"rev-parse", "HEAD"});
  for (const auto& [version, commit] : {std::pair("1.0.0", without), std::pair("1.2.0", fixed)}) {
    std::string release = read_file(toy.file("releases/1.1.0.json"));
    release.replace(release.find("1.1.0"), 5, version);
    release.replace(release.find(toy.upstream.torch_commit()), 40, commit);
    write_file_atomically(toy.file(std::string("releases/") + version + ".json"), release);
  }
  const CliResult result = toy.check_sources({"--board", "small", "--json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(
      result.out,
      Catch::Contains(R"("issue":"block-limit","status":"fixed_upstream","fix":null,"variant":null,"reason":)"
                      R"("release 1.2.0 is not in >=1.1.0 <1.2.0; fixed upstream: 'torch:include/added.h' is )"));
  CHECK_THAT(result.out,
             Catch::Contains(
                 R"("issue":"block-limit","status":"not_affected","fix":null,"variant":null,"reason":)"
                 R"("release 1.0.0 is not in >=1.1.0 <1.2.0; file absent: 'torch:include/added.h' does not exist)"));
}

TEST_CASE("check: a commit that is nowhere leaves its cells undecided, and is told after all else") {
  const Checking toy;
  toy.upstream.certify();
  const CliResult result = toy.check({"--mirror", toy.upstream.mirror() + "/vision"});
  CHECK(result.exit_code == 4);
  CHECK(result.err ==
        "torchpatch: error: checking the catalog: 1 commit is not there; everything else was checked\n"
        "hint: the report lists them: pass a directory that contains them with --mirror, or fetch them into one with "
        "git\n");
  CHECK_THAT(result.out, Catch::Contains("missing: prepare would not find these\n  1.1.0: torch: commit " +
                                         toy.upstream.torch_commit()));
  CHECK_THAT(result.out,
             Catch::Contains("undecided\n  block-limit, 1.1.0, on small\n      not checked: reading torch at "));
}

TEST_CASE("check: names the submodule and the file that prepare would miss, though no patch needs them") {
  const Checking toy;
  toy.upstream.certify();
  const std::string six = toy.upstream.mirror() + "/a-fork-of-six";
  const std::string blob = git(six, {"rev-parse", "HEAD:six.py"}), of_six = git(six, {"rev-parse", "HEAD"});
  std::filesystem::remove(six + "/.git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2));
  const auto missing = [](const CliResult& result) {
    const std::size_t begin = result.out.find("\"missing\":"), end = result.out.find("\"citations\":");
    return result.out.substr(begin, end - begin);
  };
  const CliResult without_file = toy.check_sources({"--json"});
  CHECK(without_file.exit_code == 4);
  CHECK_THAT(without_file.out, Catch::Contains(R"("status":"applied")"));
  CHECK_THAT(missing(without_file), Catch::Contains("torch:third_party/onnx/deep/six: commit " + of_six) &&
                                        Catch::Contains("the blob " + blob + " ('six.py') was not found"));
  CHECK_THAT(toy.check_sources().err,
             Catch::Contains(
                 "checking the catalog: 1 commit is available except for some files; everything else was checked\n"));

  std::filesystem::remove_all(toy.upstream.mirror() + "/nested");
  const CliResult without_submodule = toy.check_sources({"--json"});
  CHECK(without_submodule.exit_code == 4);
  CHECK_THAT(missing(without_submodule), Catch::Contains("torch:third_party/onnx: commit ") &&
                                             Catch::Contains("the commit was not found") &&
                                             !Catch::Contains("deep/six"));
}

TEST_CASE("check: a commit that several releases have is told of each") {
  const Checking toy;
  toy.upstream.certify();
  write_file_atomically(toy.file("releases/1.2.0.json"), read_file(toy.file("releases/1.1.0.json")));
  toy.replace("releases/1.2.0.json", "\"version\": \"1.1.0\"", "\"version\": \"1.2.0\"");
  std::filesystem::remove_all(toy.upstream.mirror() + "/nested");
  const CliResult result = toy.check_sources();
  CHECK_THAT(result.out, Catch::Contains("\n  1.1.0: torch:third_party/onnx: commit ") &&
                             Catch::Contains("\n  1.2.0: torch:third_party/onnx: commit "));
  CHECK_THAT(toy.check_sources({"--version", "1.2.0"}).out, !Catch::Contains("\n  1.1.0: torch:third_party/onnx"));
}

TEST_CASE("check: writes the same report whatever the number of workers, into a file where one is named") {
  const Checking toy;
  toy.upstream.certify();
  for (const char* format : {"table", "junit", "svg", "html"}) {
    const CliResult printed = toy.check_sources({"--format", format, "--jobs", "1"});
    CHECK(toy.check_sources({"--format", format, "--jobs", "7", "--output", toy.path("report")}).out.empty());
    CHECK(read_file(toy.path("report")) == printed.out);
  }
}

TEST_CASE("check: refuses what it does not know") {
  const Checking toy;
  CHECK(toy.check({"--version", "1.10"}).exit_code == 2);
  const CliResult board = toy.check({"--board", "smal"});
  CHECK(board.exit_code == 2);
  CHECK_THAT(board.err, Catch::Contains("did you mean 'small'?"));
  CHECK(toy.check({"--json", "--format", "svg"}).err ==
        "torchpatch: error: --json and --format cannot be used together\nhint: remove one of them\n");
}

TEST_CASE("check: what a page cites is looked up") {
  const Checking toy;
  toy.upstream.certify();
  const auto cite = [&](const std::string& before, const std::string& citations) {
    toy.replace("known_issues/quiet.md", before, citations);
  };
  cite("\"severity\"", R"("citations": {"1.1.0": {"include/limits.h:3": "limits 3", "vision:setup.py:1": "vision",
        "third_party/onnx/onnx.h:2": "onnx"}}, "absences": {"1.1.0": {"setup.cfg": "", "setup.py": "torchvision"}},
        "severity")");
  const CliResult right = toy.check_sources({"--json"});
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.out, Catch::Contains(R"("citations": {
    "checked": 5,
    "flags": 0,
    "pages": 3,
    "releases": 0,
    "boards": 0,
    "advisories": 0,
    "absences": 2,
    "wrong": [],
    "not_here": 0
  })"));
  CHECK_THAT(toy.check().out, !Catch::Contains("citations"));

  cite("\"limits 3\"", "\"limits 4\"");
  cite("vision:setup.py:1", "vision:setup.py:9");
  cite("third_party/onnx/onnx.h:2", "third_party/onnx/onyx.h:2");
  cite("\"setup.cfg\": \"\"", "\"empty\": \"\"");
  cite("torchvision", "setup 7");
  const CliResult wrong = toy.check_sources();
  CHECK(wrong.exit_code == 1);
  CHECK(wrong.err.empty());
  CHECK_THAT(wrong.out,
             Catch::Contains("wrong citations\n"
                             "  known_issues/quiet.md: 'limits 4' at include/limits.h:3 of 1.1.0: found line "
                             "'// limits 3'\n"));
  for (const char* line :
       {"'vision' at vision:setup.py:9 of 1.1.0: the file has 2 lines\n",
        "'onnx' at third_party/onnx/onyx.h:2 of 1.1.0: no such file\n",
        "known_issues/quiet.md: empty of 1.1.0: the file exists\n", "'setup 7' at setup.py of 1.1.0: line 7 has it\n",
        "5 citations of sources were checked (0 of flags, 3 of pages, 0 of releases, 0 of boards, 0 of advisories, 2 "
        "absences), 5 wrong, 0 not checked (sources not available)\n"})
    CHECK_THAT(wrong.out, Catch::Contains(line));
  CHECK_THAT(toy.check_sources({"--format", "junit"}).out,
             Catch::Contains("<failure message=\"5 findings\">known_issues/quiet.md: 'limits 4' at "));
  CHECK_THAT(toy.check({"--mirror", toy.upstream.mirror() + "/vision", "--json"}).out,
             Catch::Contains("\"not_here\": 4"));
}
