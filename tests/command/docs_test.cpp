// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"

using namespace torchpatch;
using test::CliResult;

namespace {

struct Documenting : test::ToyWorkspace {
  CliResult docs(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"docs", "--quiet", "--output", path("site")});
    return run(more);
  }
  std::vector<std::string> files() const { return list_files_below(path("site")); }
  std::string page(const std::string& name) const { return read_file(path("site/" + name)); }
};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("docs: writes a page for each entry of the catalog, and says what to open") {
  const Documenting toy;
  const CliResult result = toy.docs();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out,
             Catch::StartsWith("wrote ") && Catch::EndsWith(" kB, to $TMP/site\nnext: open $TMP/site/index.html\n"));
  for (const char* name :
       {"index.html", "symptoms.html", "issues/block-limit.html", "boards/small.html", "releases/1.1.0.html",
        "patches/block-limit.html", "coverage.html", "search.js", "search-data.js", "style.css", ".torchpatch-docs"}) {
    INFO(name);
    CHECK(has(toy.files(), name));
  }
  CHECK_THAT(toy.page("boards/small.html"), Catch::Contains("href=\"../issues/block-limit.html\""));
  CHECK_THAT(toy.page("issues/block-limit.html"), Catch::Contains("<span class=\"added\">+"));
  CHECK_THAT(toy.page("search-data.js"), Catch::Contains("\"id\": \"block-limit\""));
}

TEST_CASE("docs: the other forms") {
  const Documenting toy;
  CHECK(toy.docs({"--format", "md"}).exit_code == 0);
  CHECK_THAT(toy.page("README.md"), Catch::StartsWith("# Known issues") && Catch::Contains("](issues/block-limit.md)"));
  CHECK(toy.docs({"--format", "man", "--replace"}).exit_code == 0);
  CHECK_THAT(toy.page("torchpatch-issue-block-limit.7"), Catch::StartsWith(".TH "));
  CHECK(!has(toy.files(), "README.md"));
  const CliResult result = toy.docs({"--format", "json", "--replace", "--json"});
  CHECK_THAT(result.out, Catch::StartsWith("{\n  \"schema\": 1,\n  \"output\": \"$TMP/site\",\n  \"first\": "
                                           "\"$TMP/site/torchpatch-docs.json\",\n  \"files\": 1,\n  \"bytes\": "));
  CHECK_THAT(toy.page("torchpatch-docs.json"), Catch::StartsWith("{\n  \"schema\": 1,\n  \"issues\": ["));
}

TEST_CASE("docs: code at the beginning of a section is code, and no character comes by its number") {
  const Documenting toy;
  const std::string issue = toy.upstream.catalog_directory() + "/known_issues/block-limit.md";
  test::edit(issue, "## Symptom\n", "## Symptom\n\n    <script>alert(1)</script>\n");
  CHECK(toy.docs({"--format", "md"}).exit_code == 0);
  CHECK_THAT(toy.page("issues/block-limit.md"), Catch::Contains("\n    <script>alert(1)</script>\n"));
  test::edit(issue, "## Cause\n", "## Cause\n\n&#27;]0;owned&#7;\n");
  const CliResult refused = toy.docs({"--format", "man", "--replace"});
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.err, Catch::Contains("has an invisible character, by its number"));
}

TEST_CASE("docs: writes the same bytes each time") {
  const Documenting toy;
  for (const char* format : {"html", "md", "man", "json"}) {
    REQUIRE(toy.run({"docs", "--format", format, "--output", toy.path("a")}).exit_code == 0);
    REQUIRE(toy.run({"docs", "--format", format, "--output", toy.path("b")}).exit_code == 0);
    for (const std::string& name : list_files_below(toy.path("a"))) {
      INFO(name);
      CHECK(read_file(toy.path("a/" + name)) == read_file(toy.path("b/" + name)));
    }
    remove_tree(toy.path("a"));
    remove_tree(toy.path("b"));
  }
}

TEST_CASE("docs: takes nobody's files away") {
  const Documenting toy;
  SECTION("of a directory that it did not write") {
    toy.write("site/mine.txt", "x");
    const CliResult result = toy.docs({"--replace"});
    CHECK(result.exit_code == 7);
    CHECK(result.err ==
          "torchpatch: error: writing to '$TMP/site': it contains files that are not documentation written by "
          "torchpatch\n"
          "hint: choose a directory that is empty or does not exist yet\n");
    CHECK(toy.files() == std::vector<std::string>{"mine.txt"});
  }
  SECTION("of one that it wrote, unless it is told to replace it") {
    REQUIRE(toy.docs().exit_code == 0);
    const CliResult result = toy.docs();
    CHECK(result.exit_code == 7);
    CHECK(result.err ==
          "torchpatch: error: writing to '$TMP/site': it already contains documentation by torchpatch\n"
          "hint: replace it with --replace, or choose another directory\n");
    CHECK(toy.docs({"--replace"}).exit_code == 0);
  }
  SECTION("that somebody put into one that it wrote") {
    REQUIRE(toy.docs().exit_code == 0);
    toy.write("site/.git/config", "x");
    const CliResult result = toy.docs({"--replace"});
    CHECK(result.exit_code == 7);
    CHECK(result.err ==
          "torchpatch: error: replacing '$TMP/site': torchpatch did not write '.git' in it\n"
          "hint: move it away, or write to another directory and copy from there\n");
    CHECK(toy.page(".git/config") == "x");
    CHECK(has(toy.files(), "index.html"));
  }
  SECTION("a page that somebody changed, a link, an empty directory") {
    REQUIRE(toy.docs().exit_code == 0);
    const std::string what = GENERATE("index.html", "link", "empty");
    if (what == "index.html") toy.write("site/index.html", "mine");
    if (what == "link") REQUIRE(symlink("/etc", toy.path("site/link").c_str()) == 0);
    if (what == "empty") make_directories(toy.path("site/empty"));
    const CliResult result = toy.docs({"--replace"});
    CHECK(result.exit_code == 7);
    CHECK_THAT(result.err, Catch::Contains("torchpatch did not write '" + what + "' in it\n"));
    CHECK(has(toy.files(), "index.html"));
  }
}

TEST_CASE("docs: DIR must be named") {
  const Documenting toy;
  CHECK(toy.run({"docs"}).exit_code == 2);
}
