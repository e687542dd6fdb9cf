// SPDX-License-Identifier: BSD-3-Clause
// diff_lines: what it says of two lists, and that it says it of long ones in good time.
#include <algorithm>
#include <chrono>
#include <random>

#include "patch/apply.h"
#include "patch/review.h"
#include "support/catch.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

using Lines = std::vector<std::string>;

Lines numbered_list(std::size_t count, const std::string& word = "line ") {
  Lines lines;
  for (std::size_t i = 0; i < count; ++i) lines.push_back(concat(word, i));
  return lines;
}

std::string whole_text(const Lines& lines) { return lines.empty() ? std::string() : join(lines, "\n") + "\n"; }

struct Difference {
  std::size_t removed = 0, added = 0;
  double seconds = 0;
};

/// Takes the difference of two lists, checks that applying it to one gives the other, each hunk at its line, and counts
/// its lines.
Difference difference_of(const Lines& before, const Lines& after, std::size_t context = 3) {
  Difference difference;
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Hunk> hunks = diff_lines(before, after, context);
  difference.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::string result;
  std::size_t next = 0;
  const std::string text = whole_text(before);
  const std::vector<std::string_view> lines = split_lines(text);
  for (const Hunk& hunk : hunks) {
    const std::size_t start = hunk.old_start - (hunk.old_count > 0 ? 1 : 0);
    for (; next < start; ++next) result += lines[next];
    for (const HunkLine& line : hunk.lines) {
      if (line.kind != LineKind::added && line.text != lines[next++]) FAIL("a hunk is not of its lines");
      if (line.kind != LineKind::removed) result += line.text;
      difference.removed += line.kind == LineKind::removed;
      difference.added += line.kind == LineKind::added;
    }
  }
  for (; next < lines.size(); ++next) result += lines[next];
  CHECK((result == whole_text(after)));  // without printing both
  return difference;
}

/// Replaces, removes and inserts about one line in `rarity`.
Lines edited_list(const Lines& lines, std::mt19937& random, unsigned rarity) {
  Lines out;
  for (const std::string& line : lines) {
    const auto what = random() % (3 * rarity);
    if (what == 0) out.push_back(concat("new ", random() % 50));
    if (what == 1) out.push_back("other " + line);
    if (what > 2 || what == 0) out.push_back(line);
  }
  return out;
}

/// Returns the length of a longest common subsequence.
std::size_t common_length(const Lines& before, const Lines& after) {
  std::vector<std::size_t> above(after.size() + 1), row(after.size() + 1);
  for (const std::string& line : before) {
    for (std::size_t j = 0; j < after.size(); ++j)
      row[j + 1] = line == after[j] ? above[j] + 1 : std::max(above[j + 1], row[j]);
    above.swap(row);
  }
  return above.back();
}

constexpr std::size_t kLong = 100'000;
/// By far more than is needed on a machine that is busy; a table of all pairs of 100000 lines would take longer.
constexpr double kMostSeconds = 20;

}  // namespace

TEST_CASE("diff_lines: equal lists have no difference, empty ones only that of the other", "[patch]") {
  const Lines some = numbered_list(5);
  CHECK(diff_lines(some, some, 3).empty());
  CHECK(difference_of({}, some).added == 5);
  CHECK(difference_of(some, {}).removed == 5);
}

TEST_CASE("diff_lines: applied, it gives the other list, whatever the lists are", "[patch]") {
  std::mt19937 random(11);
  for (const std::size_t size : {7u, 60u, 4'500u, 9'000u}) {
    for (const unsigned rarity : {1u, 3u, 40u}) {
      for (const unsigned words : {2u, 30u, 1'000'000u}) {  // few words: nearly every line is on both sides many times
        Lines before;
        for (std::size_t i = 0; i < size; ++i) before.push_back(concat("word ", random() % words));
        INFO(size << " lines of " << words << " words, one in " << rarity);
        difference_of(before, edited_list(before, random, rarity));
      }
    }
  }
}

TEST_CASE("diff_lines: long lists that differ in some hundred lines have no smaller difference", "[patch]") {
  std::mt19937 random(23);
  for (const unsigned words : {30u, 1'000u}) {
    Lines before;
    for (std::size_t i = 0; i < 4'500; ++i) before.push_back(concat("word ", random() % words));
    const Lines after = edited_list(before, random, 60);
    const std::size_t common = common_length(before, after);
    const Difference difference = difference_of(before, after);
    CHECK(difference.removed == before.size() - common);
    CHECK(difference.added == after.size() - common);
  }
}

TEST_CASE("diff_lines: of a long list with few changes it finds just these", "[patch]") {
  const Lines before = numbered_list(kLong);
  Lines after = before;
  after[3] = "three";
  after.insert(after.begin() + 50'000, {"one", "two"});
  after.erase(after.begin() + 99'000, after.begin() + 99'010);
  const Difference difference = difference_of(before, after);
  CHECK(difference.removed == 11);
  CHECK(difference.added == 3);
  CHECK(difference.seconds < kMostSeconds);
}

TEST_CASE("diff_lines: long lists of few different lines are aligned, too", "[patch]") {
  Lines before;
  for (std::size_t i = 0; i < kLong; ++i) before.push_back(i % 3 == 0 ? "}" : concat("line ", i / 7));
  Lines after = before;
  for (std::size_t i = 500; i < kLong; i += 1'000) after[i] = "changed";
  const Difference difference = difference_of(before, after);
  CHECK(difference.removed == 100);
  CHECK(difference.added == 100);
  CHECK(difference.seconds < kMostSeconds);
}

TEST_CASE("diff_lines: long lists in which everything differs, or only the order, take no longer", "[patch]") {
  const Lines before = numbered_list(kLong);
  SECTION("no line is common") {
    const Difference difference = difference_of(before, numbered_list(kLong, "other "));
    CHECK(difference.removed == kLong);
    CHECK(difference.seconds < kMostSeconds);
  }
  SECTION("all lines in another order") {
    Lines after = before;
    std::shuffle(after.begin(), after.end(), std::mt19937(5));
    CHECK(difference_of(before, after).seconds < kMostSeconds);
  }
  SECTION("backwards") { CHECK(difference_of(before, {before.rbegin(), before.rend()}).seconds < kMostSeconds); }
  SECTION("two words") {
    std::mt19937 random(3);
    Lines one, other;
    for (std::size_t i = 0; i < kLong; ++i) {
      one.push_back(random() % 2 == 0 ? "a" : "b");
      other.push_back(random() % 2 == 0 ? "a" : "b");
    }
    CHECK(difference_of(one, other).seconds < kMostSeconds);
  }
}

}  // namespace torchpatch::patch
