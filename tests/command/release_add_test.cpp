// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/text.h"
#include "upkeep/release/add_release.h"

using namespace torchpatch;
using test::CliResult;

namespace {

/// The toy's release with places, and a second commit of torch in which they moved.
struct AddWorkspace : test::ToyWorkspace {
  std::string torch = upstream.mirror() + "/torch";

  AddWorkspace() {
    write_file_atomically(torch + "/setup.py",
                          "import os\nA = os.getenv('USE_A')\nB = os.getenv('USE_B')\n"
                          "D = [os.getenv(each) for each in ('USE_D', 'USE_E', 'USE_F')]\n");
    write_file_atomically(torch + "/CMakeLists.txt", "cmake_minimum_required(VERSION 3.5 FATAL_ERROR)\n");
    cite(commit("old"));
    write_file_atomically(
        torch + "/setup.py",
        "import sys\nimport os\nA = os.getenv('USE_A')\nB = sys.argv or os.getenv('USE_B')\n# no USE_D, no USE_F\n"
        "C = os.getenv('USE_C')\n");
    make_directories(torch + "/cmake");
    write_file_atomically(torch + "/cmake/Deps.cmake",
                          "set(E $ENV{USE_E})\ncmake_dependent_option(\n  USE_G \"use G\" ON \"USE_A\" OFF)\n");
    write_file_atomically(torch + "/CMakeLists.txt", "cmake_minimum_required(VERSION 3.10 FATAL_ERROR)\n");
    write_file_atomically(torch + "/LICENSE", "of the new release\n");
    new_commit = commit("new");
  }

  std::string commit(const std::string& subject) const {
    test::git(torch, {"add", "-A"});
    test::git(torch, {"commit", "-q", "-m", subject});
    return test::git(torch, {"rev-parse", "HEAD"});
  }

  /// Pins the commit in the catalog's release, and lets it read variables and cite lines there.
  void cite(const std::string& old_commit) const {
    const std::string file = upstream.catalog_directory() + "/releases/1.1.0.json";
    std::string text = read_file(file);
    text.replace(text.find(upstream.torch_commit()), 40, old_commit);
    text.insert(text.find(old_commit) + 41, R"(, "front_end": {"kind": "scikit-build-core"})");
    const std::string notes = "\"sources\": [";
    text.insert(text.rfind(notes) + notes.size(),
                R"({"keys": ["unsupported_archs"], "source": "archs of v1.1.0", "verified": true}, )");
    text.insert(text.rfind(notes), R"("unsupported_archs": ["sparc"], )");
    text.insert(text.rfind("\"sources\""), R"("flags": {"USE_A": "setup.py:2", "USE_B": "setup.py:3",
      "USE_D": "setup.py:4", "USE_E": "setup.py:4", "USE_F": "setup.py:4"}, "notes": ["of old"],
      "citations": {"1.1.0": {"setup.py:2": "'USE_A'", "setup.py:3": "B = os"}},
      "absences": {"1.1.0": {"setup.py": "import sys", "other.py": ""}}, )");
    const std::string source = "made up";
    text.replace(text.rfind(source), source.size(), "setup.py:2 and setup.py:22 of v1.1.0");
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
  const auto map = [](const char* before, const char* after) {
    return upkeep::line_map(split(before, '\n'), split(after, '\n'));
  };
  CHECK(map("a\nb\nc", "a\nb\nc").same == Map{0, 1, 2, 3});
  CHECK(map("a\nb\nc", "x\na\nb\ny\nc").same == Map{0, 2, 3, 5});
  CHECK(map("a\nb\nc", "a\nB\nc\nd").same == Map{0, 1, 0, 3});
  CHECK(map("a\nb\nc", "c").same == Map{0, 0, 0, 1});
  CHECK(map("a\nb", "").same == Map{0, 0, 0});
  CHECK(map("a\nb\nc", "x\na\nB\nB\nc").instead[2] == upkeep::LineRange{3, 5});
}

TEST_CASE("line_likeness: words and signs count, and quotation marks are alike") {
  CHECK(upkeep::line_likeness("a = f('B')", "  a = f(\"B\")") == 1);
  CHECK(upkeep::line_likeness("x y", "x z") == 0.5);
  CHECK(upkeep::line_likeness("x", "y") == 0);
  CHECK(upkeep::is_comment("  # x", "a/setup.py"));
  CHECK(upkeep::is_comment("// x", "a.h"));
  CHECK(!upkeep::is_comment("#include <x>", "a.h"));
}

TEST_CASE("variables_read: what reads a variable, and what only names it") {
  const auto names = [](const std::string& text, const char* file) {
    std::string found;
    for (const upkeep::ReadVariable& each : upkeep::variables_read(split(text, '\n'), file))
      found += concat(each.name, ":", each.line, " ");
    return found;
  };
  CHECK(names("if($ENV{A1} AND DEFINED ENV{A2})\nif(NOT ENV{A3})\nset(ENV{A4} 1)\n# $ENV{A5}", "a.cmake") ==
        "A1:1 A2:1 ");
  CHECK(names("find_path(X x.h PATHS ENV A1\n  ENV A2)", "CMakeLists.txt") == "A1:1 A2:2 ");
  CHECK(names("option(USE_A \"a\" ON)\noption(OTHER \"o\" ON)\ncmake_dependent_option(\n  BUILD_B \"b\" ON)\n"
              "option(\n\n  # one\n  USE_C)",
              "CMakeLists.txt") == "USE_A:1 BUILD_B:4 USE_C:8 ");
  CHECK(names("os.environ['A1']\nos.environ['A2'] = 'x'\n_get_build(\"A3\")\n'A4' not in os.environ\n  'A5',\n'A6': 1",
              "setup.py") == "A1:1 A3:3 A4:4 A5:5 ");
  CHECK(
      names("x = os.environ.get('A1', 'A2') or os.getenv(\"A3\")\nif os.environ['A4'] == '1':\n  'A5'  in os.environ\n"
            "check_env_flag( 'A6', 'ON')\ncheck_negative_env_flag('A7')\ngetenv(A8)\ngetenv('a9')\nf('A', 'B1')\n"
            "'B2'  )\n'B3' 'B4'",
            "setup.py") == "A1:1 A3:1 A4:2 A5:3 A6:4 A7:5 B2:9 ");
  CHECK(names("$ENV{A1}$ENV{A2} $ENV{A} ENV A3x DEFINED_ENV{A4} my_option(USE_A \"\") Option(USE_B)\nset(X $ENV{A5)\n"
              "OPTION(BUILD_ x)\nOption( \nUSE_C x)",
              "a.cmake") == "A1:1 A2:1 USE_C:5 ");
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
       {"known issues that affect it (1) and cite older releases (1) whose text no longer holds\n"
        "  quiet: no line has it: 'B = os.getenv(\\'USE_B\\')' in setup.py:3 of 1.1.0\n",
        "  quiet: line 6 has it, and the page states that 1.1.0 lacks it: 'USE_C' in setup.py of 1.1.0\n",
        "  quiet: the file exists, and the page states that 1.1.0 lacks it: LICENSE of 1.1.0\n"})
    CHECK_THAT(result.out, Catch::Contains(part));
  CHECK_THAT(result.out, !Catch::Contains("A = os.getenv"));
}

TEST_CASE("release add: carries over what it finds, and says what it does not") {
  const AddWorkspace toy;
  const CliResult result = toy.add({"--all"});
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  const std::string file = read_file(toy.path("releases/1.2.0.json"));
  for (const char* part :
       {R"("USE_A": "setup.py:3")", R"("USE_B": "setup.py:4")", R"("cmake": ">=3.10)", R"("tag": "v1.2.0")",
        R"("verified": false)", R"("setup.py:3": "'USE_A'")", R"("other.py": "")", R"("date": "2017-07-14")",
        "\"setup.py:3 and setup.py:22 of v1.2.0 (as of 1.1.0, by release add)\"", "\"sparc\"",
        "\"archs of v1.2.0 (as of 1.1.0, by release add)\"", R"("kind": "scikit-build-core")",
        "\"components.torch.front_end\""})
    CHECK_THAT(file, Catch::Contains(part));
  for (const char* part : {"USE_D", "B = os", "import sys", "of old", "\"environment\": {}", "\"verified\": true"})
    CHECK_THAT(file, !Catch::Contains(part));
  CHECK_THAT(file, Catch::Contains(toy.new_commit));
  for (const char* part :
       {"2 places of variables and modules carried over, 1 of them to a line to review, 3 lost; citations: 2 of 4\n",
        "or drop the variable\n  USE_D, USE_F, were at setup.py:4: no longer read by any listed file\n"
        "  USE_E, was at setup.py:4; perhaps cmake/Deps.cmake:1: set(E $ENV{USE_E})\n",
        "carried over to a changed line, or not compared\n  USE_B, was at setup.py:3; now setup.py:4: B = sys.argv or "
        "os.getenv('USE_B')\n",
        "new in this release\n  USE_G at cmake/Deps.cmake:3: USE_G \"use G\" ON \"USE_A\" OFF)\n"
        "  USE_C at setup.py:6: C = os.getenv('USE_C')\n",
        "citations of the previous release that no longer hold\n  setup.py:3 'B = os'; line 4 is 'B = sys.argv or "
        "os.getenv(\\'USE_B\\')'\n"
        "  setup.py 'import sys'; line 1 has it\n",
        "copy those that still hold\n  of old\n", "licence files\n  new torch:LICENSE\n"})
    CHECK_THAT(result.out, Catch::Contains(part));
  CHECK(toy.run({"show", "release", "1.2.0", "--catalog", toy.path("")}).exit_code == 0);
  CHECK_THAT(toy.add().out,
             Catch::EndsWith("\nto review; --all lists each\n"
                             "  carried over to a changed line, or not compared: USE_B\n"
                             "  new in this release: USE_G, USE_C\n"
                             "  citations of the previous release that no longer hold: setup.py:3, setup.py\n"
                             "  notes of the previous release, not copied: copy those that still hold: 1\n"
                             "  submodules: gone vision\n"
                             "  licence files: new torch:LICENSE\n"));
}

TEST_CASE("release add: says the same again where its file has these pins, and leaves edits alone") {
  const AddWorkspace toy;
  const std::string first = toy.add({"--all"}).out, file = toy.path("releases/1.2.0.json"), bytes = read_file(file);
  const std::size_t behind_title = first.find('\n');
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--all"}, {"--all", "--catalog", toy.path("")}}) {
    const CliResult again = toy.add(more);
    CHECK(again.exit_code == 0);
    CHECK_THAT(again.out,
               Catch::StartsWith("already exists, unchanged: ") && Catch::EndsWith(first.substr(behind_title)));
  }
  CHECK_THAT(toy.add({"--json"}).out, Catch::Contains("\"written\": false"));
  write_file_atomically(file, bytes + "\n");
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--all"}, {"--all", "--catalog", toy.path("")}}) {
    const CliResult edited = toy.add(more);
    CHECK(edited.exit_code == 0);
    CHECK_THAT(edited.out,
               Catch::StartsWith("already exists, edited since: ") && Catch::EndsWith(first.substr(behind_title)));
    CHECK(read_file(file) == bytes + "\n");
  }
  const CliResult moved =
      toy.run({"release", "add", "1.2.0", "--commit", toy.upstream.torch_commit(), "--into", toy.path(""), "--catalog",
               toy.path(""), "--mirror", toy.upstream.mirror(), "--quiet"});
  CHECK(moved.exit_code == 2);
  CHECK(moved.err == concat("torchpatch: error: adding release 1.2.0: '$TMP//releases/1.2.0.json' exists, with other "
                            "pins:\n  torch: the file has ",
                            toy.new_commit, ", the options give ", toy.upstream.torch_commit(),
                            "\nhint: its edits are kept: write the release into another directory (--into) and copy "
                            "'components' from there, or move the file away\n"));
  CHECK(read_file(file) == bytes + "\n");
}

TEST_CASE("release add: a release that replaces another makes one that replaces none") {
  const AddWorkspace toy;
  const std::string release = read_file(toy.upstream.catalog_directory() + "/releases/1.1.0.json");
  std::string replacing = release;
  replacing.insert(replacing.rfind("\"sources\""), concat("\"replaces\": \"", sha256(release).hex(), "\", "));
  toy.write("mine/releases/1.1.0.json", replacing);
  CHECK(toy.add({"--catalog", toy.upstream.catalog_directory(), "--catalog", toy.path("mine")}).exit_code == 0);
  CHECK_THAT(read_file(toy.path("releases/1.2.0.json")), !Catch::Contains("replaces"));
}

TEST_CASE("release add: dates by the committer's clock") {
  AddWorkspace toy;
  std::string raw = test::git(toy.torch, {"cat-file", "commit", toy.new_commit}) + "\n";
  const std::string committer = "committer ", zone = "+0000";
  raw.replace(raw.find(zone, raw.find(committer)), zone.size(), "-0700");
  write_file_atomically(toy.path("commit"), raw);
  toy.new_commit = test::git(toy.torch, {"hash-object", "-t", "commit", "-w", toy.path("commit")});
  CHECK(toy.add().exit_code == 0);
  CHECK_THAT(read_file(toy.path("releases/1.2.0.json")), Catch::Contains(R"("date": "2017-07-13")"));
}

TEST_CASE("release add: says which copy has a new submodule, and what is nowhere") {
  AddWorkspace toy;
  const std::string six = toy.upstream.mirror() + "/a-fork-of-six";
  std::string modules = read_file(toy.torch + "/.gitmodules");
  for (const char* name : {"near", "far"})
    modules += concat("[submodule \"", name, "\"]\n\tpath = third_party/", name, "\n\turl = https://example.org/", name,
                      ".git\n");
  write_file_atomically(toy.torch + "/.gitmodules", modules);
  write_file_atomically(toy.torch + "/page.xml", "no more\n");
  test::git(toy.torch, {"add", ".gitmodules", "page.xml"});
  const std::string far(40, '1');
  test::git(toy.torch, {"update-index", "--add", "--cacheinfo",
                        concat("160000,", test::git(six, {"rev-parse", "HEAD"}), ",third_party/near")});
  test::git(toy.torch, {"update-index", "--add", "--cacheinfo", concat("160000,", far, ",third_party/far")});
  test::git(toy.torch, {"commit", "-q", "-m", "more"});
  toy.new_commit = test::git(toy.torch, {"rev-parse", "HEAD"});
  const std::string blob = test::git(toy.torch, {"rev-parse", "HEAD:page.xml"});
  std::filesystem::remove(concat(toy.torch, "/.git/objects/", blob.substr(0, 2), "/", blob.substr(2)));
  const std::string out = toy.add({"--all"}).out;
  for (const std::string& part :
       std::vector<std::string>{"  new torch:third_party/far: not found in any copy\n  new torch:third_party/near: "
                                "https://example.org/near.git, in '",
                                concat("  submodule torch:third_party/far was not found: commit ", far,
                                       "\n  1 file of torch, whose commit is available, is missing: page.xml\n")})
    CHECK_THAT(out, Catch::Contains(part));
}

TEST_CASE("release add: a submodule whose URL is refused is what keeps prepare from the release") {
  AddWorkspace toy;
  write_file_atomically(toy.torch + "/.gitmodules",
                        read_file(toy.torch + "/.gitmodules") +
                            "[submodule \"near\"]\n\tpath = near\n\turl = git@example.org:near.git\n");
  test::git(toy.torch, {"add", ".gitmodules"});
  test::git(toy.torch, {"update-index", "--add", "--cacheinfo", concat("160000,", std::string(40, '1'), ",near")});
  test::git(toy.torch, {"commit", "-q", "-m", "near"});
  toy.new_commit = test::git(toy.torch, {"rev-parse", "HEAD"});
  const CliResult result = toy.add({"--all"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("  submodule torch:near blocks prepare: reading .gitmodules of torch at ") &&
                             Catch::Contains(": it is not of the form scheme://host/path\n"));
  CHECK(toy.run({"prepare", "--version", "1.2.0", "--board", "small", "--catalog", toy.path(""), "--mirror",
                 toy.upstream.mirror(), "--output", toy.path("out")})
            .exit_code == 6);
}

TEST_CASE("release add: its JSON") {
  const AddWorkspace toy;
  const CliResult result = toy.add({"--json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains(R"("release": "1.2.0",
  "like": "1.1.0")") && Catch::Contains(R"("before": "setup.py:3",
      "after": "setup.py:4",)") &&
                             Catch::Contains(R"("found": "line 1 has it")") && Catch::Contains(R"("change": "new",
      "file": "torch:LICENSE")"));
}

TEST_CASE("release add: says what a board loses") {
  const test::ToyWorkspace toy;
  toy.upstream.certify();
  const std::string issue = toy.upstream.catalog_directory() + "/known_issues/block-limit.md";
  std::string page = read_file(issue);
  const std::string range = ">=1.1.0 <1.2.0";
  write_file_atomically(issue, page.replace(page.find(range), range.size(), ">=1.1.0 <1.3.0"));
  const std::string begins = toy.upstream.catalog_directory() + "/known_issues/begins.md";
  write_file_atomically(begins,
                        "# It begins\n\n```json\n"
                        R"({"schema": 1, "id": "begins", "severity": "build-failure",
    "releases": [">=1.2.0"], "when": {}, "symptoms": ["it begins"], "links": ["https://example.org/1"], "seeds": [],
    "fixes": [{"id": "by-hand", "kind": "advice", "summary": "Mend it", "optional": true}]})"
                        "\n```\n\n## Symptom\n\nText.\n\n## Cause\n\nText.\n\n## Fix\n\nText.\n\n"
                        "## How to verify\n\nText.\n");
  const std::string torch = toy.upstream.mirror() + "/torch";
  write_file_atomically(torch + "/include/limits.h", "// other limits\n");
  test::git(torch, {"commit", "-q", "-a", "-m", "other"});
  const CliResult result = toy.run({"release", "add", "1.2.0", "--commit", test::git(torch, {"rev-parse", "HEAD"}),
                                    "--into", toy.path(""), "--mirror", toy.upstream.mirror(), "--quiet"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("worse than in 1.1.0; 'torchpatch port 1.2.0' carries the patchsets over\n"
                                         "  begins on plain, small: newly affected, no fix is used by default\n"
                                         "  block-limit on small: fix cap (patch, variant V1) became uncertified\n"));

  // port compares with the release just before: made like an earlier one, the patchsets have to be named.
  const std::string mine = toy.path("releases/1.2.0.json");
  std::string between = read_file(mine);
  for (std::size_t at = between.find("1.2.0"); at != std::string::npos; at = between.find("1.2.0"))
    between.replace(at, 5, "1.1.5");
  write_file_atomically(toy.upstream.catalog_directory() + "/releases/1.1.5.json", between);
  remove_tree(mine);
  CHECK_THAT(toy.run({"release", "add", "1.2.0", "--like", "1.1.0", "--commit", test::git(torch, {"rev-parse", "HEAD"}),
                      "--into", toy.path(""), "--mirror", toy.upstream.mirror(), "--quiet"})
                 .out,
             Catch::Contains("worse than in 1.1.0; 'torchpatch port 1.2.0 block-limit' carries the patchsets over\n"));
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
  refuses({"1.2.0", "--commit", "v1.2.0"}, 2,
          "--commit 'v1.2.0' is not a commit of 40 hex digits\nhint: git ls-remote --tags lists the commits of "
          "upstream's tags\n");
  for (const std::string& vision : std::vector<std::string>{"0.4=", "newest", "0.4=v0.4", "none=" + toy.new_commit}) {
    refuses({"1.2.0", "--commit", toy.new_commit, "--vision", vision}, 2,
            concat("--vision '", vision,
                   "' is neither a version, perhaps with '=' and a commit of 40 hex digits, nor 'none'\nhint: such as "
                   "0.12.0, 0.12.0=COMMIT; git ls-remote --tags lists the commits of upstream's tags\n"));
  }
  refuses({"1.2.0", "--commit", toy.new_commit, "--audio", "0.4"}, 2,
          "no release of the catalog has audio, so its repository is unknown\n");
  refuses({"1.0.0", "--commit", toy.new_commit}, 2, "adding release 1.0.0: the catalog has no release before it\n");
  refuses({"1.1.0", "--commit", toy.new_commit}, 2, "adding release 1.1.0: the catalog has it already\n");
  refuses({"1.2.0", "--commit", std::string(40, '1')}, 4, "adding release 1.2.0: torch: commit 1111");
}
