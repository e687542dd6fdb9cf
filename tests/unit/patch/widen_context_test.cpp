// SPDX-License-Identifier: BSD-3-Clause
#include "patch/review.h"

#include <random>

#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/text.h"
#include "unit/patch/git_oracle.h"

namespace torchpatch::patch {
namespace {

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += concat("line ", i, "\n");
  return text;
}

/// Replaces, removes and inserts some lines; sometimes the last line loses its end.
std::string edited(const std::string& text, std::mt19937& random) {
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    switch (random() % 12) {
      case 0:
        out += "other " + line + "\n";
        break;
      case 1:
        break;
      case 2:
        out += line + "\nnew\n";
        break;
      default:
        out += line + "\n";
    }
  }
  if (random() % 4 == 0 && !out.empty()) out.pop_back();
  return out;
}

std::vector<Hunk> without_sections(std::vector<Hunk> hunks) {
  for (Hunk& hunk : hunks) hunk.section.clear();
  return hunks;
}

}  // namespace

TEST_CASE("widen_context: shows what git diff shows with that much context", "[patch][git]") {
  GitOracle git;
  std::mt19937 random(7);
  for (int i = 0; i < 25; ++i) {
    const std::string before = numbered_lines(static_cast<int>(random() % 60));
    const Tree old_tree = {{"f", {FileMode::regular, before}}};
    const Tree new_tree = {{"f", {FileMode::regular, edited(before, random)}}};
    for (const int context : {0, 1, 3, 10, 100}) {
      const std::string narrow = git.diff(old_tree, new_tree, {"-U1"});
      const std::string wide = git.diff(old_tree, new_tree, {concat("-U", context)});
      if (narrow.empty()) continue;
      INFO(wide);
      CHECK(widen_context(parse_patch(narrow, "narrow").files[0].hunks, before, static_cast<std::size_t>(context),
                          "f") == without_sections(parse_patch(wide, "wide").files[0].hunks));
    }
  }
}

TEST_CASE("widen_context: a hunk that is off its line is shown where it stands", "[patch]") {
  const std::vector<Hunk> hunks = {{7, 1, 7, 1, "", {{LineKind::removed, "line 5\n"}, {LineKind::added, "five\n"}}}};
  std::vector<Hunk> with_context = hunks;
  with_context[0].lines.insert(with_context[0].lines.begin(), {LineKind::context, "line 4\n"});
  with_context[0].lines.push_back({LineKind::context, "line 6\n"});
  with_context[0].old_count = with_context[0].new_count = 3;
  const std::vector<Hunk> wide = widen_context(with_context, numbered_lines(9), 1, "f");
  REQUIRE(wide.size() == 1);
  CHECK(wide[0].old_start == 4);
  CHECK(wide[0].old_count == 3);
  CHECK(wide[0].lines.back().text == "line 6\n");
}

TEST_CASE("widen_context: a hunk that fits nowhere is a conflict", "[patch]") {
  const std::vector<Hunk> hunks = {{1, 1, 1, 1, "", {{LineKind::removed, "else\n"}, {LineKind::added, "x\n"}}}};
  CHECK_THROWS_AS(widen_context(hunks, numbered_lines(3), 3, "f"), ApplyError);
}

}  // namespace torchpatch::patch
