// SPDX-License-Identifier: BSD-3-Clause
#include "git/gitmodules.h"

#include "support/catch.h"
#include "unit/git/raises.h"

using namespace torchpatch;
using git::parse_gitmodules;

namespace {

std::string refusal(std::string_view text) {
  return test::message_of(ErrorKind::unsafe, [&] { parse_gitmodules(text); });
}

std::string section(const std::string& lines) { return "[submodule \"a\"]\n" + lines; }

}  // namespace

TEST_CASE("parse_gitmodules: reads sections in file order, with their lines", "[git]") {
  const auto modules = parse_gitmodules(
      "[submodule \"third_party/pybind11\"]\n"
      "    path = third_party/pybind11\n"
      "    url = https://github.com/pybind/pybind11.git\n"
      "# comment\n"
      "[submodule \"nccl\"] ; comment\n"
      "\tPath=third_party/nccl/nccl # comment\n"
      "\tURL = \"https://github.com/NVIDIA/nccl\"\n"
      "\tbranch = master\n\tignore = dirty\n\tupdate = none\n\tshallow = true\n\tfetchRecurseSubmodules = no\n");
  REQUIRE(modules.size() == 2);
  CHECK(modules[0].name == "third_party/pybind11");
  CHECK(modules[0].path == "third_party/pybind11");
  CHECK(modules[0].url == "https://github.com/pybind/pybind11.git");
  CHECK(modules[0].line == 1);
  CHECK(modules[1].name == "nccl");
  CHECK(modules[1].path == "third_party/nccl/nccl");
  CHECK(modules[1].url == "https://github.com/NVIDIA/nccl");
  CHECK(modules[1].line == 5);
}

TEST_CASE("parse_gitmodules: reads values as git config does", "[git]") {
  const auto path_of = [](const std::string& value) {
    const auto modules = parse_gitmodules(section("url = u\npath = " + value));
    return modules.size() == 1 ? modules[0].path : "none";
  };
  CHECK(path_of("a b   c \t \n") == "a b   c");
  CHECK(path_of("\"a # b\" ; c\n") == "a # b");
  CHECK(path_of("\"  a\"\n") == "  a");
  CHECK(path_of("a\\\\b\\\"c\n") == "a\\b\"c");
  CHECK(path_of("a\\\nb\n") == "ab");
  CHECK(path_of("a\\\r\nb\r\n") == "ab");
  CHECK(path_of("a\r\n") == "a");
  CHECK(path_of("a") == "a");
}

TEST_CASE("parse_gitmodules: a section has a blank and a name, or neither, as in git", "[git]") {
  CHECK(refusal("[submodule\"a\"]\npath = a\nurl = u\n") == "line 1: unclosed section header");
  CHECK(refusal("[core ]\n") == "line 1: unclosed section header");
}

TEST_CASE("parse_gitmodules: an empty file, a byte order mark and unfinished sections are fine", "[git]") {
  CHECK(parse_gitmodules("").empty());
  CHECK(parse_gitmodules("# nothing\n\n").empty());
  CHECK(parse_gitmodules("\xef\xbb\xbf[submodule \"a\"]\npath = a\nurl = u\n").size() == 1);
  CHECK(parse_gitmodules(section("path = a\n")).empty());
  CHECK(parse_gitmodules(section("url = u\n")).empty());
  CHECK(parse_gitmodules("[core]\n bare = true\n").empty());
  CHECK(parse_gitmodules("[submodule \"a\\\"b\"] path = a\nurl = u\n").at(0).name == "a\"b");
}

TEST_CASE("parse_gitmodules: refuses includes, commands and what git refuses", "[git]") {
  CHECK(refusal("[include]\npath = /etc/passwd\n") == "line 1: an include");
  CHECK(refusal("\n[includeIf \"gitdir:/\"]\npath = x\n") == "line 2: an include");
  CHECK(refusal(section("update = !touch x\n")) ==
        "line 2: update = '!touch x' is not checkout, rebase, merge or none");
  CHECK(refusal("[submodule \"../x\"]\n") == "line 1: the submodule name '../x' has a component '..'");
  CHECK(refusal("[submodule \"a\\\\..\\\\b\"]\n") == "line 1: the submodule name 'a\\\\..\\\\b' has a component '..'");
  CHECK(refusal("[submodule]\npath = a\n") == "line 1: a submodule without a name");
  CHECK(refusal("[submodule.a]\npath = a\n") == "line 1: a section in git's deprecated syntax");
  CHECK(refusal(section("path = -x\n")) == "line 2: the path '-x' begins with '-'");
  CHECK(refusal(section("path = \"x\r\"\n")) == "line 2: the path 'x\\015' has a control byte");
  for (const char* path : {"/x", "../x", "a/../b", "a/", "./a", ".", "\"\""}) {
    INFO(path);
    CHECK(refusal(section("path = " + std::string(path) + "\n")).find("is not a plain relative path") !=
          std::string::npos);
  }
  CHECK(refusal(section("url = -u./x\n")) == "line 2: a url that begins with '-'");
  CHECK(refusal(section("url = \"a\\nb\"\n")) == "line 2: a url with a control byte");
  CHECK(refusal(section("url =\n")) == "line 2: an empty url");
}

TEST_CASE("parse_gitmodules: refuses what is there twice", "[git]") {
  CHECK(refusal(section("path = a\nurl = u\npath = b\n")) == "line 4: a second 'path'");
  CHECK(refusal(section("path = a\nurl = u\nURL = v\n")) == "line 4: a second 'url'");
  CHECK(refusal("[submodule \"a\"]\n[submodule \"a\"]\n") == "line 2: a second submodule 'a'");
  CHECK(refusal("[submodule \"a\"]\npath = p\nurl = u\n[submodule \"b\"]\npath = p\nurl = u\n") ==
        "line 4: a second submodule at the path 'p'");
}

TEST_CASE("parse_gitmodules: refuses text that is no configuration", "[git]") {
  CHECK(refusal("path = a\n") == "line 1: text before the first section");
  CHECK(refusal(section("path\n")) == "line 2: 'path' has no value");
  CHECK(refusal(section("path = \"a\nurl = u\n")) == "line 2: unclosed quote");
  CHECK(refusal(section("path = a\\x\n")) == "line 2: unknown escape sequence");
  CHECK(refusal("[submodule \"a\n") == "line 1: unclosed quote in a section header");
  CHECK(refusal("[submodule \"a\"\n") == "line 1: unclosed section header");
  CHECK(refusal(section("= a\n")) == "line 2: this is neither a section, a variable nor a comment");
  CHECK(refusal(section(std::string("path = a\0b\n", 11))) == "line 2: a NUL byte");
  CHECK(refusal(std::string("[submodule\0 \"a\"]", 16)) == "line 1: unclosed section header");
}
