// SPDX-License-Identifier: BSD-3-Clause
#include "patch/review.h"

#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

const std::string kIds = concat(std::string(40, '1'), "..", std::string(40, '2'));

/// A patch of one file whose hunk begins at line 10, after one line of context.
std::string change(const std::string& path, const std::string& lines,
                   const std::string& description = "Raise the limit") {
  std::size_t before = 1, after = 1;
  for (const std::string& line : split(lines, '\n')) {
    if (starts_with(line, "-")) ++before;
    if (starts_with(line, "+")) ++after;
    if (starts_with(line, " ")) ++before, ++after;
  }
  return concat("Description: ", description, "\n\ndiff --git a/", path, " b/", path, "\nindex ", kIds,
                " 100644\n--- a/", path, "\n+++ b/", path, "\n@@ -10,", before, " +10,", after, " @@\n first\n", lines);
}

/// Each risk as "kind path:line", in order.
std::vector<std::string> risks_of(const std::string& text) {
  std::vector<std::string> risks;
  for (const Risk& risk : find_risks(parse_patch(text, "p"))) {
    CHECK_FALSE(risk.why.empty());
    risks.push_back(concat(risk_name(risk.kind), " ", risk.path, ":", risk.line));
  }
  return risks;
}

using Risks = std::vector<std::string>;

}  // namespace

TEST_CASE("find_risks: finds nothing in a change that the description names", "[patch]") {
  CHECK(risks_of(change("a.h", "-limit = 1;\n+limit = 2;\n last\n")).empty());
}

TEST_CASE("find_risks: files that run at build time", "[patch]") {
  for (const char* path : {"setup.py", "third_party/x/CMakeLists.txt", "cmake/Modules/a.cmake",
                           "tools/setup_helpers/nccl.py", "scripts/build.sh", ".github/workflows/ci.yml"}) {
    INFO(path);
    CHECK(risks_of(change(path, "-limit = 1;\n+limit = 2;\n")) == Risks{concat("build-script ", path, ":0")});
  }
  CHECK(risks_of(change("torch/setup.pyx", "-limit = 1;\n+limit = 2;\n")).empty());
}

TEST_CASE("find_risks: added lines that name a host or fetch something, not removed ones", "[patch]") {
  CHECK(risks_of(change(
            "a.py",
            "-limit('http://old')\n+limit()\n mid\n+limit = URLOPEN('x')\n+# limit: see https://example.org\n")) ==
        Risks{"network a.py:13", "network a.py:14"});
  CHECK(risks_of(change("a.py", "+limit(); curl = 1\n")).empty() == false);
  CHECK(risks_of(change("a.py", "+limit(); curly = 1\n")).empty());
}

TEST_CASE("find_risks: modes, links and pins", "[patch]") {
  CHECK(risks_of("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n") == Risks{"executable-bit f:0"});
  CHECK(risks_of("diff --git a/f b/f\nold mode 100755\nnew mode 100644\n") == Risks{"executable-bit f:0"});
  CHECK(risks_of(concat(
            "diff --git a/l b/l\nnew file mode 120000\nindex ", std::string(40, '0'), "..", std::string(40, '2'),
            "\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n")) == Risks{"link l:0"});
  CHECK(risks_of(concat("diff --git a/sub b/sub\nindex ", kIds,
                        " 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n-Subproject commit ", std::string(40, '1'),
                        "\n+Subproject commit ", std::string(40, '2'), "\n")) == Risks{"gitlink sub:0"});
}

TEST_CASE("find_risks: binary content", "[patch]") {
  CHECK(risks_of(concat("diff --git a/b b/b\nindex ", kIds,
                        " 100644\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 1\n"
                        "IcmZPo000310RR91\n\n")) == Risks{"binary b:0"});
}

TEST_CASE("find_risks: files that a program writes, by name or by what they say", "[patch]") {
  CHECK(risks_of(change("x_pb2.py", "-limit = 1\n+limit = 2\n")) == Risks{"generated x_pb2.py:0"});
  CHECK(risks_of(change("a.h", " // DO NOT EDIT: made by a script\n-limit = 1\n+limit = 2\n")) ==
        Risks{"generated a.h:0"});
}

TEST_CASE("find_risks: characters that may look like others", "[patch]") {
  CHECK(risks_of(change("a.c", "-limit\n+limit \xD0\xB0\n")) == Risks{"hidden-text a.c:11"});     // a Cyrillic a
  CHECK(risks_of(change("a.c", "-limit\n+limit\xEF\xBC\x9B\n")) == Risks{"hidden-text a.c:11"});  // a wide semicolon
  CHECK(risks_of(change("a.c", "-limit\n+limit \xFF\n")) == Risks{"hidden-text a.c:11"});         // no UTF-8
}

TEST_CASE("find_risks: characters that do not show or reorder what is read", "[patch]") {
  CHECK(risks_of(change("a.c", "-limit\n+limit \xE2\x80\xAE\n")) == Risks{"hidden-text a.c:11"});
  CHECK(risks_of(change("a.c", "-limit\n+limit\xE2\x80\x8B\n")) == Risks{"hidden-text a.c:11"});
  for (const char* const control : {"\x1B[8m", "\b", "\r import", "\x7F", "\f", "\x01"})
    CHECK(risks_of(change("a.c", concat("-limit\n+limit ", control, " 2\n"))) == Risks{"hidden-text a.c:11"});
  CHECK(risks_of(change("a.c", "-limit\r\n+limit\t2\r\n")).empty());
  CHECK(risks_of(change("a.c", "-limit \xE2\x80\xAE\n+limit caf\xC3\xA9\n")).empty());
}

TEST_CASE("find_risks: hunks of blanks alone", "[patch]") {
  CHECK(risks_of(change("a.c", "-limit = 1\n+\tlimit=1  \n")) == Risks{"whitespace-only a.c:11"});
  CHECK(risks_of(change("a.c", "-limit = 1\n+limit = 11\n")).empty());
}

TEST_CASE("find_risks: hunks that the description does not explain", "[patch]") {
  CHECK(risks_of(change("a.c", "-colour = red\n+colour = blue\n")) == Risks{"unexplained a.c:11"});
  CHECK(risks_of(change("a.c", "-colour = red\n")) == Risks{"unexplained a.c:11"});
  CHECK(risks_of(change("a.c", "-colour = red\n+colour = blue\n", "Paint it in another colour")).empty());
  CHECK(risks_of(change("a.c", "-use_colour_map = 0\n+use_colour_map = 1\n", "Turn the colour on")).empty());
  CHECK(risks_of(change("limits.c", "-x = 1\n+x = 2\n", "Change limits.c")).empty());
  const std::string silent = change("a.c", "-x = 1\n+x = 2\n");
  CHECK(risks_of(silent.substr(silent.find("diff"))).empty());
}

TEST_CASE("find_risks: names are explained by the words in them, signs as they stand", "[patch]") {
  const auto is_explained = [](const std::string& path, const std::string& lines, const std::string& description) {
    return risks_of(change(path, lines, description)).empty();
  };
  CHECK(is_explained("LossCTC.cu", "-#if HIP\n", "Bound the CTC loss"));
  CHECK(is_explained("CTCLoss.cu", "-#if HIP\n", "Bound the CTC loss"));
  CHECK(is_explained("a.c", "-setUpSampling(1);\n+setUpSampling(2);\n", "Change the sampling"));
  CHECK_FALSE(is_explained("GlossCTC.cu", "-#if HIP\n", "Bound the CTC loss"));
  CHECK(is_explained("a.py", "-a = ['7.5']\n+a = ['7.5', '8.7']\n", "Know compute capability 8.7."));
  CHECK_FALSE(is_explained("a.py", "-a = ['18.7']\n+a = ['8.75']\n", "Know compute capability 8.7."));
  CHECK(is_explained("a.c", "-f(\"%ld\", i);\n+f(\"%zd\", i);\n", "Print\n sizes without (%ld)"));
  CHECK(is_explained("a.c", "-a >> b\n", "Define \"a >> b\", and more"));
  CHECK_FALSE(is_explained("a.c", "-x / y - 1;\n+x - y / 2;\n", "Add and/or - drop a one's up-date"));
}

}  // namespace torchpatch::patch
