// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/fake_host.h"
#include "support/json.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;

namespace {

/// A catalog directory of one's own beside the toy's, and a machine to read.
struct Author : test::ToyWorkspace {
  Author() {
    make_directories(path("mine/known_issues"));
    set_variable("PATH", host.path());
    set_variable("SOURCE_DATE_EPOCH", "1700000000");
  }
  CliResult make(std::vector<std::string> args) const {
    args.insert(args.end(), {"--into", path("mine"), "--quiet"});
    return run(args);
  }
  CliResult check() const { return run({"check", "--catalog", path("mine"), "--json"}); }
  std::string file(const std::string& name) const { return read_file(path("mine/" + name)); }

  test::FakeHost host;
};

/// Returns "line: message" of each marked place of a file, as check is to tell it.
std::vector<std::string> marked_lines(const std::string& text) {
  std::vector<std::string> lines;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (line.find("FILL-IN") != std::string::npos) lines.push_back(std::to_string(number));
  }
  return lines;
}

/// Returns the lines of the findings that check told, all of which are of `file` and about places to be filled in.
std::vector<std::string> told_lines(const CliResult& result, const std::string& file) {
  Findings findings;
  const std::optional<Json> json = parse_json(result.out, "check", 1, findings);
  std::vector<std::string> lines;
  for (const auto& [name, value] : json.value().members) {
    for (std::size_t i = 0; name == "findings" && i < value.items.size(); ++i) {
      INFO(indented_json(value.items[i], -1));
      for (const auto& [key, part] : value.items[i].members) {
        if (key == "file") CHECK(part.string == file);
        if (key == "message") CHECK_THAT(part.string, Catch::StartsWith("must be filled in: "));
        if (key == "line") lines.push_back(std::to_string(part.integer));
      }
    }
  }
  return lines;
}

void fill(const std::string& path, const std::string& mark, const std::string& by) { test::edit(path, mark, by); }

}  // namespace

TEST_CASE("board new: check names each marked place of the skeleton, and nothing else") {
  const Author author;
  const CliResult made = author.make({"board", "new", "mine-1"});
  CHECK(made.err.empty());
  CHECK(made.out == "$TMP/mine/boards/mine-1.json\n");
  const CliResult checked = author.check();
  CHECK(checked.exit_code == 1);
  const std::vector<std::string> marked = marked_lines(author.file("boards/mine-1.json"));
  CHECK(marked.size() > 15);
  CHECK(told_lines(checked, "$TMP/mine/boards/mine-1.json") == marked);
}

TEST_CASE("board new --from-host: what doctor reads stands there with its source, the rest is marked") {
  const Author author;
  author.host.write("usr/local/cuda/version.txt", "CUDA Version 10.2.300\n");
  CHECK(author.make({"board", "new", "mine-1", "--from-host", "--root", author.host.root()}).exit_code == 0);
  const std::string text = author.file("boards/mine-1.json");
  for (const char* line :
       {R"("arch": "aarch64")", R"("memory_mib": 8192)", R"("os": "ubuntu-18.04")", R"("glibc": "2.27")",
        R"("gcc": "7.5.0")", R"("cmake": "3.10.2")", R"("cuda": "10.2.300")", R"("cudnn": null)", R"("3.6")",
        "it has fp asimd evtstrm aes", R"("source": "read on the machine by torchpatch on 2023-11-14")"})
    CHECK_THAT(text, Catch::Contains(line));
  CHECK(told_lines(author.check(), "$TMP/mine/boards/mine-1.json") == marked_lines(text));
}

TEST_CASE("board new --like: the board is whole but for its name, and says whose figures it has") {
  const Author author;
  CHECK(author.make({"board", "new", "mine-1", "--like", "small"}).exit_code == 0);
  const std::string path = author.path("mine/boards/mine-1.json");
  const std::string text = read_file(path);
  CHECK(marked_lines(text).size() == 1);
  CHECK_THAT(text, Catch::Contains("\"source\": \"copied from the board small, whose source is: ") &&
                       Catch::Contains("\"registers_per_block\": 32768") && !Catch::Contains("\"verified\": true"));
  CHECK(told_lines(author.check(), "$TMP/mine/boards/mine-1.json") == marked_lines(text));
  fill(path, "FILL-IN: the name of the board, as its vendor writes it", "Mine");
  CHECK(author.check().exit_code == 0);
}

TEST_CASE("board new --like --from-host: what was read comes in place of the other board's") {
  const Author author;
  CHECK(author.make({"board", "new", "mine-1", "--like", "small", "--from-host", "--root", author.host.root()})
            .exit_code == 0);
  const std::string text = author.file("boards/mine-1.json");
  CHECK_THAT(text, Catch::Contains("\"memory_mib\": 8192") && Catch::Contains("\"registers_per_block\": 32768") &&
                       Catch::Contains("\"id\": \"ubuntu-18.04\""));
  CHECK(told_lines(author.check(), "$TMP/mine/boards/mine-1.json") == marked_lines(text));
}

TEST_CASE("issue new: check names each marked place of the skeleton, and nothing else") {
  const Author author;
  const CliResult made = author.make({"issue", "new", "my-issue"});
  CHECK(made.err.empty());
  CHECK(made.out == "$TMP/mine/known_issues/my-issue.md\n");
  const std::vector<std::string> marked = marked_lines(author.file("known_issues/my-issue.md"));
  CHECK(marked.size() == 12);
  CHECK(told_lines(author.check(), "$TMP/mine/known_issues/my-issue.md") == marked);
}

TEST_CASE("issue new: a skeleton whose places are filled in is an issue") {
  const Author author;
  CHECK(author.make({"issue", "new", "my-issue"}).exit_code == 0);
  const std::string path = author.path("mine/known_issues/my-issue.md");
  for (const auto& [mark, by] : std::vector<std::pair<std::string, std::string>>{
           {"FILL-IN: build-failure, runtime-failure, silent-wrong-results or limitation", "build-failure"},
           {"FILL-IN: releases that have it, such as >=1.1.0 <1.2.0", ">=1.1.0 <1.2.0"},
           {"FILL-IN: what the board has or lacks, as a fact of docs/formats.md; omit 'when' if every build is "
            "affected",
            "aarch64"},
           {"FILL-IN: public reports, or omit 'links'", "https://example.org/1"},
           {"FILL-IN: advice, environment, patch, files or post_build", "advice"}})
    fill(path, mark, by);
  for (std::size_t left = 7; left > 0; --left) {
    CHECK(told_lines(author.check(), "$TMP/mine/known_issues/my-issue.md").size() == left);
    fill(path, "FILL-IN: ", "");
  }
  const CliResult checked = author.check();
  CHECK(checked.exit_code == 0);
  CHECK_THAT(checked.out, Catch::Contains("\"issue\":\"my-issue\",\"status\":\"advice\""));
}

TEST_CASE("check: marks hide no finding of another line, and keep no cell from being told") {
  const Author author;
  CHECK(author.make({"board", "new", "mine-1", "--like", "small"}).exit_code == 0);
  CHECK_THAT(author.check().out, Catch::Contains("\"board\":\"mine-1\""));
  fill(author.path("mine/boards/mine-1.json"), "\"arch\": \"aarch64\"", "\"arch\": \"not an arch\"");
  CHECK_THAT(author.check().out,
             Catch::Contains("'not an arch' is not a name") && Catch::Contains("must be filled in"));
}

TEST_CASE("board new, issue new: an id that is taken or none is refused") {
  const Author author;
  CHECK(author.make({"board", "new", "small"}).err ==
        "torchpatch: error: the board 'small' already exists\n"
        "hint: choose another id; 'torchpatch show board small' shows it\n");
  CHECK(author.make({"issue", "new", "quiet"}).err ==
        "torchpatch: error: the issue 'quiet' already exists\n"
        "hint: choose another id; 'torchpatch show issue quiet' shows it\n");
  const CliResult capitals = author.make({"board", "new", "Mine"});
  CHECK(capitals.exit_code == 2);
  CHECK_THAT(capitals.err, Catch::StartsWith("torchpatch: error: 'Mine' is not an id: "));
  CHECK(author.make({"issue", "new", "my-issue"}).exit_code == 0);
  const CliResult again = author.make({"issue", "new", "my-issue"});
  CHECK(again.exit_code == 2);
  CHECK(again.err ==
        "torchpatch: error: '$TMP/mine/known_issues/my-issue.md' already exists\n"
        "hint: choose another id, or edit that file\n");
  CHECK(author.make({"board", "new", "mine-1", "--like", "smal"}).exit_code == 2);
  CHECK(author.make({"board", "new", "mine-1", "--root", author.path("mine")}).err ==
        "torchpatch: error: --root needs --from-host\nhint: see 'torchpatch board new --help'\n");
}
