// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <vector>

#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "fuzz/slow_path_rule.h"
#include "model/version.h"
#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

constexpr std::size_t kMostVersions = 24;

constexpr std::size_t kNumbers = 6;
constexpr long kLastRank = 1'000'000'000;

/// The numbers, and that of the pre-release or kLastRank.
using Numbers = std::array<long, kNumbers + 1>;

std::optional<long> read_number(const std::string& part) {
  const bool is_number = !part.empty() && part.size() <= 9 && part.find_first_not_of("0123456789") == part.npos;
  if (!is_number || (part.size() > 1 && part[0] == '0')) return std::nullopt;
  return std::stol(part);
}

/// Reads a version once more; missing numbers are 0, `count` is how many there are.
std::optional<Numbers> read_numbers(std::string_view text, std::size_t& count) {
  Numbers numbers{};
  numbers[kNumbers] = kLastRank;
  if (const std::size_t mark = text.find("-rc"); mark != text.npos) {
    const auto number = read_number(std::string(text.substr(mark + 3)));
    if (!number) return std::nullopt;
    numbers[kNumbers] = *number;
    text = text.substr(0, mark);
  }
  const std::vector<std::string> parts = parts_of(text, '.');
  count = parts.size();
  if (count > kNumbers) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = read_number(parts[i]);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  return numbers;
}

/// Returns whether `own` begins with the first `count` numbers of `family`.
bool begins_alike(const Numbers& own, const Numbers& family, std::size_t count) {
  return std::equal(family.begin(), family.begin() + static_cast<std::ptrdiff_t>(count), own.begin());
}

/// Returns whether `own` is a pre-release of exactly `release`.
bool is_before_release(const Numbers& own, const Numbers& release) {
  return release[kNumbers] == kLastRank && own[kNumbers] < kLastRank && begins_alike(own, release, kNumbers);
}

/// Returns whether a version meets one comparison, or nothing where that is none.
std::optional<bool> holds(std::string_view comparison, const Version& version) {
  const std::size_t sign = std::min(comparison.find_first_not_of("<>="), comparison.size());
  const std::string_view relation = comparison.substr(0, sign);
  std::size_t count = 0, own_count = 0;
  const auto bound = read_numbers(comparison.substr(sign), count);
  const Numbers own = *read_numbers(version.text(), own_count);
  if (!bound) return std::nullopt;
  if (relation == "<") return own < *bound && !is_before_release(own, *bound);
  if (relation == "<=") return own <= *bound;
  if (relation == "==") return own == *bound;
  if (relation == ">=") return own >= *bound;
  if (relation == ">") return own > *bound;
  if (relation.empty() && (*bound)[kNumbers] < kLastRank) return own == *bound;
  if (relation.empty()) return begins_alike(own, *bound, count) && !is_before_release(own, *bound);
  return std::nullopt;
}

/// Returns whether a version meets all comparisons of a range, or nothing where one is none.
std::optional<bool> meets(std::string_view range, const Version& version) {
  if (range == "*") return true;
  bool meets_all = true;
  for (const std::string& comparison : parts_of(range, ' ')) {
    const std::optional<bool> one = holds(comparison, version);
    if (!one) return std::nullopt;
    meets_all = meets_all && *one;
  }
  return meets_all;
}

void check_range(const std::string& text, const Version& version) {
  const std::optional<VersionRange> range = VersionRange::parse(text);
  const std::optional<bool> expected = meets(text, version);
  require(expected || !range, "a range consists of comparisons");
  require(!expected || (range && range->contains(version)) == *expected, "a range holds as its comparisons do");
  if (!range) return;
  require(range->text() == text && VersionRange::parse(range->text()).has_value(), "a range prints as it was read");
}

void check_order(const std::vector<Version>& versions) {
  for (const Version& a : versions) {
    for (const Version& b : versions) {
      std::size_t count_a = 0, count_b = 0;
      const Numbers numbers_a = *read_numbers(a.text(), count_a), numbers_b = *read_numbers(b.text(), count_b);
      require((a < b) == (numbers_a < numbers_b) && (a == b) == (numbers_a == numbers_b) && (a > b) == (b < a),
              "versions are ordered by their numbers");
      const bool is_one = numbers_b[kNumbers] < kLastRank;
      const bool is_in_family = is_one ? numbers_a == numbers_b : begins_alike(numbers_a, numbers_b, count_b);
      require(a.is_in_family(b) == is_in_family, "a family is what begins alike");
    }
  }
}

}  // namespace

void check_versions(std::string_view input) {
  const std::vector<std::string> lines = parts_of(input, '\n');
  std::vector<Version> versions = {*Version::parse("0"), *Version::parse("1.10.2"), *Version::parse("1.10.2-rc1")};
  for (std::size_t i = 1; i < lines.size() && i < kMostVersions; ++i) {
    std::size_t count = 0;
    const std::optional<Version> version = Version::parse(lines[i]);
    require(version.has_value() == read_numbers(lines[i], count).has_value(), "versions are numbers with dots");
    if (!version) continue;
    require(version->text() == lines[i], "a version prints as it was read");
    versions.push_back(*version);
  }
  check_order(versions);
  for (const Version& version : versions) check_range(lines[0], version);
}

}  // namespace torchpatch::fuzz
