// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "ops/release/carry_places.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;

namespace {

/// The toy's release with places, and a second commit of torch in which they moved.
struct AddWorkspace : test::ToyWorkspace {
  std::string torch = upstream.mirror() + "/torch";

  AddWorkspace() {
    write_file_atomically(torch + "/setup.py", "import os\nA = os.getenv('USE_A')\nB = os.getenv('USE_B')\n");
    write_file_atomically(torch + "/CMakeLists.txt", "cmake_minimum_required(VERSION 3.5 FATAL_ERROR)\n");
    cite(commit("old"));
    write_file_atomically(
        torch + "/setup.py",
        "import sys\nimport os\nA = os.getenv('USE_A')\nB = sys.argv or os.getenv('USE_B')\nC = os.getenv('USE_C')\n");
    write_file_atomically(torch + "/CMakeLists.txt", "cmake_minimum_required(VERSION 3.10 FATAL_ERROR)\n");
    write_file_atomically(torch + "/LICENSE", "of the new release\n");
    new_commit = commit("new");
  }

  std::string commit(const std::string& subject) const {
    test::git(torch, {"add", "-A"});
    test::git(torch, {"commit", "-q", "-m", subject});
    return test::git(torch, {"rev-parse", "HEAD"});
  }

  /// Pins the commit in the catalog's release, and lets it read two variables there.
  void cite(const std::string& old_commit) const {
    const std::string file = upstream.catalog_directory() + "/releases/1.1.0.json";
    std::string text = read_file(file);
    text.replace(text.find(upstream.torch_commit()), 40, old_commit);
    text.insert(text.rfind("\"sources\""), R"("flags": {"USE_A": "setup.py:2", "USE_B": "setup.py:3"}, )");
    write_file_atomically(file, text);
  }

  CliResult add(std::vector<std::string> more = {}) const {
    std::vector<std::string> line = {"release", "add",    "1.2.0",    "--commit",        new_commit,
                                     "--into",  path(""), "--mirror", upstream.mirror(), "--quiet"};
    line.insert(line.end(), more.begin(), more.end());
    return run(line);
  }

  std::string new_commit;
};

}  // namespace

TEST_CASE("line_map: lines go where they went, and nowhere where they were changed") {
  using Map = std::vector<std::size_t>;
  CHECK(ops::line_map("a\nb\nc", "a\nb\nc") == Map{0, 1, 2, 3});
  CHECK(ops::line_map("a\nb\nc", "x\na\nb\ny\nc") == Map{0, 2, 3, 5});
  CHECK(ops::line_map("a\nb\nc", "a\nB\nc\nd") == Map{0, 1, 0, 3});
  CHECK(ops::line_map("a\nb\nc", "c") == Map{0, 0, 0, 1});
  CHECK(ops::line_map("a\nb", "") == Map{0, 0, 0});
}

TEST_CASE("release add: says which pages cite what is not so any more") {
  const AddWorkspace toy;
  const std::string page = toy.upstream.catalog_directory() + "/known_issues/quiet.md";
  test::edit(page, ">=1.1.0 <1.2.0", ">=1.1.0");
  const std::string cited = R"x("setup.py:2": "A = os.getenv", "setup.py:3": "B = os.getenv('USE_B')")x";
  test::edit(page, "\"seeds\": []",
             concat(R"("seeds": [], "citations": {"1.1.0": {)", cited,
                    R"(}}, "absences": {"1.1.0": {"setup.py": "USE_C", "LICENSE": ""}})"));
  const CliResult result = toy.add({"--all"});
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  for (const char* part :
       {"known issues: 1 affect it, the pages of 1 cite older releases; look at those that do not hold\n"
        "  quiet: no line has it: 'B = os.getenv(\\'USE_B\\')' in setup.py:3 of 1.1.0\n",
        "  quiet: a line has it, which none had: 'USE_C' in setup.py of 1.1.0\n",
        "  quiet: the file is there: LICENSE of 1.1.0\n"})
    CHECK_THAT(result.out, Catch::Contains(part));
  CHECK_THAT(result.out, !Catch::Contains("A = os.getenv"));
}

TEST_CASE("release add: carries over what it finds, and says what it does not") {
  const AddWorkspace toy;
  const CliResult result = toy.add();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  const std::string file = read_file(toy.path("releases/1.2.0.json"));
  for (const char* part :
       {R"("USE_A": "setup.py:3")", R"("cmake": ">=3.10)", R"("tag": "v1.2.0")", R"("verified": false)"})
    CHECK_THAT(file, Catch::Contains(part));
  CHECK_THAT(file,
             Catch::Contains(toy.new_commit) && !Catch::Contains("USE_B") && !Catch::Contains("\"verified\": true"));
  for (const char* part :
       {"1 place of variables and modules carried over, 1 lost\n",
        "USE_B, was at setup.py:3; perhaps setup.py:4: B = sys.argv or os.getenv('USE_B')\n",
        "named here for the first time\n  USE_C at setup.py:5\n", "licence files\n  new torch:LICENSE\n"})
    CHECK_THAT(result.out, Catch::Contains(part));
  CHECK(toy.run({"show", "release", "1.2.0", "--catalog", toy.path("")}).exit_code == 0);
  CHECK(toy.add().exit_code == 2);
}

TEST_CASE("release add: its JSON") {
  const AddWorkspace toy;
  const CliResult result = toy.add({"--json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains(R"("release": "1.2.0",
  "like": "1.1.0")") && Catch::Contains(R"("before": "setup.py:3",)") &&
                             Catch::Contains(R"("change": "new",
      "file": "torch:LICENSE")"));
}

TEST_CASE("release add: says what a board loses") {
  const test::ToyWorkspace toy;
  toy.upstream.certify();
  const std::string issue = toy.upstream.catalog_directory() + "/known_issues/block-limit.md";
  std::string page = read_file(issue);
  const std::string range = ">=1.1.0 <1.2.0";
  write_file_atomically(issue, page.replace(page.find(range), range.size(), ">=1.1.0 <1.3.0"));
  const std::string torch = toy.upstream.mirror() + "/torch";
  write_file_atomically(torch + "/include/limits.h", "// other limits\n");
  test::git(torch, {"commit", "-q", "-a", "-m", "other"});
  const CliResult result = toy.run({"release", "add", "1.2.0", "--commit", test::git(torch, {"rev-parse", "HEAD"}),
                                    "--into", toy.path(""), "--mirror", toy.upstream.mirror(), "--quiet"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out,
             Catch::Contains("worse off than before\n  block-limit on small: fix cap (patch, variant V1) became ") &&
                 Catch::Contains(" became uncertified, for "));
}

TEST_CASE("release add: refuses what it cannot go by, and writes nothing") {
  const AddWorkspace toy;
  const auto refuses = [&](std::vector<std::string> line, int code, const std::string& message) {
    line.insert(line.begin(), {"release", "add"});
    line.insert(line.end(), {"--into", toy.path(""), "--mirror", toy.upstream.mirror(), "--quiet"});
    const CliResult result = toy.run(line);
    CHECK(result.exit_code == code);
    CHECK_THAT(result.err, Catch::Contains("torchpatch: error: " + message));
    CHECK(!is_directory(toy.path("releases")));
  };
  refuses(
      {"1.2.0", "--commit", "v1.2.0"}, 2,
      "--commit 'v1.2.0' is not a commit of 40 hex digits\nhint: git ls-remote --tags tells the commits of upstream's "
      "tags\n");
  for (const std::string& vision : std::vector<std::string>{"0.4=", "newest", "0.4=v0.4", "none=" + toy.new_commit}) {
    refuses({"1.2.0", "--commit", toy.new_commit, "--vision", vision}, 2,
            concat("--vision '", vision,
                   "' is neither a version, perhaps with '=' and a commit of 40 hex digits, nor 'none'\nhint: such as "
                   "0.12.0, 0.12.0=COMMIT; git ls-remote --tags tells the commits of upstream's tags\n"));
  }
  refuses({"1.2.0", "--commit", toy.new_commit, "--audio", "0.4"}, 2,
          "no release of the catalog has audio, so nothing says where it is\n");
  refuses({"1.0.0", "--commit", toy.new_commit}, 2, "adding release 1.0.0: the catalog has no release before it\n");
  refuses({"1.1.0", "--commit", toy.new_commit}, 2, "adding release 1.1.0: it is there already\n");
  refuses({"1.2.0", "--commit", std::string(40, '1')}, 4, "adding release 1.2.0: torch: commit 1111");
}
