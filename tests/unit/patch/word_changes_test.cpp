// SPDX-License-Identifier: BSD-3-Clause
#include "patch/review.h"

#include "support/catch.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

/// Returns the lines, which begin with ' ', '-' or '+', with what changed in them in brackets.
std::string marked(const std::vector<std::string>& lines) {
  Hunk hunk;
  for (const std::string& line : lines) hunk.lines.push_back({static_cast<LineKind>(line[0]), line.substr(1) + "\n"});
  const auto spans = word_changes(hunk);
  REQUIRE(spans.size() == lines.size());
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string text = hunk.lines[i].text;
    for (auto span = spans[i].rbegin(); span != spans[i].rend(); ++span) {
      REQUIRE(span->begin < span->end);
      REQUIRE(span->end <= text.size());
      text.insert(span->end, "]").insert(span->begin, "[");
    }
    out += lines[i][0] + text;
  }
  return out;
}

}  // namespace

TEST_CASE("word_changes: marks the words that differ", "[patch]") {
  CHECK(marked({" int a;", "-constexpr int THREADS = 1024;", "+constexpr int THREADS = 512;", " int b;"}) ==
        " int a;\n-constexpr int THREADS = [1024];\n+constexpr int THREADS = [512];\n int b;\n");
  CHECK(marked({"-f(a, b)", "+f(a, b, c)"}) == "-f(a, b)\n+f(a, b[, c])\n");
  CHECK(marked({"-check_negative_env_flag('X')", "+check_env_flag('X')"}) ==
        "-check_[negative_]env_flag('X')\n+check_env_flag('X')\n");
}

TEST_CASE("word_changes: words may move to another line", "[patch]") {
  CHECK(marked({"-from env import A, B, C", "+from env import A, \\", "+    B, C"}) ==
        "-from env import A, B, C\n+from env import A, [\\]\n+[    ]B, C\n");
}

TEST_CASE("word_changes: lines that are only added or removed, or share too little, have none", "[patch]") {
  CHECK(marked({"+added line", " context", "-removed line"}) == "+added line\n context\n-removed line\n");
  CHECK(marked({"-alpha beta gamma", "+one two three"}) == "-alpha beta gamma\n+one two three\n");
}

TEST_CASE("word_changes: blanks alone are a change", "[patch]") {
  CHECK(marked({"-a = b", "+a  =  b"}) == "-a[ ]=[ ]b\n+a[  ]=[  ]b\n");
}

TEST_CASE("word_changes: each run is compared with the one behind it alone", "[patch]") {
  CHECK(marked({"-x = 1;", "+x = 2;", "-y = 1;", "+y = 3;"}) == "-x = [1];\n+x = [2];\n-y = [1];\n+y = [3];\n");
}

}  // namespace torchpatch::patch
