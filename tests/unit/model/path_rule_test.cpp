// SPDX-License-Identifier: BSD-3-Clause
#include "model/path_rule.h"

#include <algorithm>
#include <random>

#include "fuzz/slow_path_rule.h"
#include "support/catch.h"
#include "support/text.h"

using namespace torchpatch;

namespace {

bool is_refused(const std::string& path) { return path_problem(path).has_value(); }

std::string problem(const std::string& path) { return path_problem(path).value_or("fine"); }

const std::string kJoiner = "\xE2\x80\x8C";  // U+200C

}  // namespace

TEST_CASE("parse_file_mode: the modes of git and no others") {
  CHECK(parse_file_mode("40000") == FileMode::directory);
  CHECK(parse_file_mode("040000") == FileMode::directory);
  CHECK(parse_file_mode("100644") == FileMode::regular);
  CHECK(parse_file_mode("100664") == FileMode::regular);
  CHECK(parse_file_mode("100755") == FileMode::executable);
  CHECK(parse_file_mode("120000") == FileMode::link);
  CHECK(parse_file_mode("160000") == FileMode::gitlink);
  for (const std::string text :
       {"",       "0",      "1",     "100777",  "100600",  "104755",  "102644", "107777",        "777777", "060000",
        "020000", "120777", "10644", "0100644", "+100644", "-100644", "100648", "1006440000000", "000000", "100644 "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_file_mode(text));
  }
}

TEST_CASE("FileMode: its name is parsed back") {
  for (const FileMode mode :
       {FileMode::directory, FileMode::regular, FileMode::executable, FileMode::link, FileMode::gitlink})
    CHECK(parse_file_mode(name_of(mode)) == mode);
}

TEST_CASE("path_problem: accepts odd but harmless names") {
  for (const std::string path : {"with space.txt",
                                 "tab\there",
                                 "quote\"q",
                                 "back\\slash",
                                 "new\nline",
                                 "caf\xC3\xA9.txt",
                                 "\xFF\xFE.txt",
                                 "-dash",
                                 "a b/c d.txt",
                                 " lead",
                                 "trail ",
                                 "trail.",
                                 "b/b/b",
                                 "dev/null",
                                 "\xE2\x80\x8Bzw",
                                 "...",
                                 "dir/...",
                                 "~/x",
                                 "-rf",
                                 "C:evil",
                                 "con",
                                 "a:b",
                                 "x\x01y",
                                 ".gitmodules",
                                 ".gitignore",
                                 ".github/x",
                                 "git",
                                 "git~2",
                                 ".gitx",
                                 "a.git",
                                 "agit~1",
                                 ".gi",
                                 "g\xE2\x80\x8Cit",
                                 "..\\x",
                                 " .git",
                                 ".git\xC3\xA9"}) {
    CAPTURE(quote(path));
    CHECK(problem(path) == "fine");
    CHECK(fuzz::may_be_path(path));
  }
  CHECK(problem(std::string(255, 'n')) == "fine");
}

TEST_CASE("path_problem: says why a path is refused") {
  CHECK(problem("") == "is empty");
  CHECK(problem("/a") == "is absolute");
  CHECK(problem("a//b") == "has a component that is empty");
  CHECK(problem("a/") == "has a component that is empty");
  CHECK(problem("./a") == "has a component that is '.'");
  CHECK(problem("a/../../b") == "has a component that is '..'");
  CHECK(problem(std::string(256, 'n')) == "has a component that is longer than 255 bytes");
  CHECK(problem(std::string("a\0b", 3)) == "has a component that has a NUL byte");
  CHECK(problem("a\rb") == "has a component that has a carriage return");
  CHECK(problem("x/.git/hooks") == "has a component that can be read as '.git'");
  CHECK(component_problem("a/b") == "has a slash");
  std::string deep = "d";
  while (deep.size() < 4096) deep += "/d";
  CHECK(problem(deep.substr(0, 2 * 512 - 1)) == "fine");
  CHECK(problem(deep.substr(0, 2 * 513 - 1)) == "is deeper than 512 components");
  std::string wide(200, 'w');
  while (wide.size() <= 4096) wide += "/" + std::string(200, 'w');
  CHECK(problem(wide) == "is longer than 4096 bytes");
}

TEST_CASE("path_problem: refuses everything that is read as .git somewhere") {
  // git's t1014, CVE-2014-9390, CVE-2019-1352, CVE-2019-1353.
  const std::vector<std::string> names = {".git",
                                          ".GIT",
                                          ".gIt",
                                          "git~1",
                                          "GIT~1",
                                          ".git ",
                                          ".git.",
                                          ".git . .",
                                          ".git::$INDEX_ALLOCATION",
                                          ".git:x",
                                          "git~1 .:x",
                                          ".git\\x",
                                          "a\\.git",
                                          "a\\.GIT .\\x",
                                          ".g" + kJoiner + "it",
                                          kJoiner + ".git" + kJoiner,
                                          ".GI\xEF\xBB\xBFT",
                                          ".gi\xE2\x81\xAFt",
                                          ".git\xFF",
                                          ".git\xEF\xBF\xBE",
                                          ".git\xEF\xBF\xBF"};
  for (const std::string& name : names) {
    for (const std::string& path : {name, name + "/config", "sub/" + name, "sub/" + name + "/hooks/x"}) {
      CAPTURE(quote(path));
      CHECK(is_refused(path));
      CHECK_FALSE(fuzz::may_be_path(path));
    }
  }
}

TEST_CASE("path_problem: agrees with a slow and obvious implementation") {
  const std::vector<std::string> pieces = {".",
                                           "g",
                                           "i",
                                           "t",
                                           "G",
                                           "~",
                                           "1",
                                           " ",
                                           ":",
                                           "\\",
                                           "/",
                                           "\r",
                                           std::string(1, '\0'),
                                           "..",
                                           "ab",
                                           ".git",
                                           "git~1",
                                           kJoiner,
                                           "\xEF\xBB\xBF",
                                           "\xE2\x80\xAE",
                                           "\xE2\x81\xAA",
                                           "\xE2\x80",
                                           "\xFF",
                                           "\xEF\xBF\xBF",
                                           "\xC3\xA9",
                                           "\n",
                                           "I",
                                           "T"};
  std::mt19937 random(20190430);
  const auto pick = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
  std::size_t refused = 0;
  constexpr std::size_t kPaths = 30'000;
  for (std::size_t i = 0; i < kPaths; ++i) {
    std::string path;
    for (std::size_t length = pick(9); length > 0; --length) path += pieces[pick(pieces.size())];
    const bool is_bad = is_refused(path);
    if (is_bad == fuzz::may_be_path(path)) FAIL_CHECK(quote(path) << (is_bad ? " refused" : " accepted"));
    refused += is_bad ? 1 : 0;
  }
  CHECK(refused > kPaths / 10);
  CHECK(refused < kPaths * 9 / 10);
}

TEST_CASE("output_path_problem: also refuses control bytes and invalid UTF-8") {
  CHECK_FALSE(output_path_problem("a b/caf\xC3\xA9"));
  CHECK(output_path_problem("a\tb") == "has a control byte");
  CHECK(output_path_problem("a\nb") == "has a control byte");
  CHECK(output_path_problem("a\x7F") == "has a control byte");
  CHECK(output_path_problem("\xFF") == "is not valid UTF-8");
  CHECK(output_path_problem("../a") == "has a component that is '..'");
}

TEST_CASE("link_name_problem: git's settings files must not be links") {
  for (const std::string path :
       {".gitmodules", ".GITMODULES", "a/.gitattributes", ".gitmodules .", ".gitmodules:x", "gitmod~1", "GITMOD~4",
        "gitatt~2", "gi7eba~1", "GI7D29~9", "gi~12345", "g~123456.", "~1000000", ".gitm\xE2\x80\x8Codules"}) {
    CAPTURE(path);
    CHECK(link_name_problem(path));
  }
  for (const std::string path : {".gitignore", ".gitmodules/x", "gitmod~5", "gitmod~12", "gi7ebb~1", "gi~01234",
                                 "gi7eba~", ".gitmodulesx", "gitmodules", ".git-blame-ignore-revs"}) {
    CAPTURE(path);
    CHECK_FALSE(link_name_problem(path));
  }
}

TEST_CASE("link_problem: a link stays inside its component") {
  for (const std::string target : {"x", "./x", "../x", "../../x", "x/y/", "../../b/c", "."}) {
    CAPTURE(target);
    CHECK_FALSE(link_problem("pytorch/a/b/link", target));
  }
  CHECK_FALSE(link_problem("pytorch/a/b/link", "../.."));
  CHECK(link_problem("pytorch/a/b/link", "../../..") == "has a target that points out of its component");
  CHECK(link_problem("pytorch/a/b/link", "../../../vision/x") == "has a target that points out of its component");
  CHECK(link_problem("pytorch/link", "../x") == "has a target that points out of its component");
  CHECK(link_problem("pytorch/link", "./.././x") == "has a target that points out of its component");
  CHECK(link_problem("pytorch/a/link", "x/../y") == "has a target that has '..' after a name");
  CHECK(link_problem("link", "x") == "is not in a component");
  CHECK(link_problem("pytorch/link", "") == "has an empty target");
  CHECK(link_problem("pytorch/link", "/etc/passwd") == "has an absolute target");
  CHECK(link_problem("pytorch/link", std::string("a\0b", 3)) == "has a target that has a control byte");
  CHECK(link_problem("pytorch/link", "\xFF") == "has a target that is not valid UTF-8");
  CHECK(link_problem("pytorch/link", ".git/config") == "has a target that has a component that can be read as '.git'");
  CHECK(link_problem("pytorch/a/link", "../GIT~1") == "has a target that has a component that can be read as '.git'");
  CHECK(link_problem("pytorch/.gitmodules", "x") == "is a git configuration file, which must not be a link");
  std::string longest = "x";
  while (longest.size() < 4095) longest += "/x";
  CHECK_FALSE(link_problem("pytorch/link", longest.substr(0, 4095)));
  CHECK(link_problem("pytorch/link", longest + "/") == "has a target longer than 4095 bytes");
}
