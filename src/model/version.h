// SPDX-License-Identifier: BSD-3-Clause
/// Versions and version ranges (Version, VersionRange), compared number by number.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torchpatch {

/// Limits of a version: how many numbers it may have, and the exclusive upper bound of each.
inline constexpr std::size_t kMostNumbers = 6;
inline constexpr std::uint64_t kNumberEnd = 1'000'000'000;

/// The numbers of a version, padded with zeros, then the number of its pre-release (kNumberEnd for a release). Versions
/// compare like their keys.
using VersionKey = std::array<std::uint64_t, kMostNumbers + 1>;

/// A version: numbers separated by dots (1.10.2, 28.2.1), optionally a pre-release (2.13.0-rc2), which sorts before its
/// release. Missing numbers count as 0: 1.10 == 1.10.0.
class Version {
 public:
  /// Parses 1 to 6 decimal numbers joined by dots, optionally followed by "-rc" and another number; each below 10^9,
  /// without leading zeros. Returns nothing for other text.
  static std::optional<Version> parse(std::string_view text);
  const std::string& text() const { return text_; }
  const std::vector<int>& numbers() const { return numbers_; }
  bool is_pre_release() const { return pre_release_.has_value(); }
  VersionKey key() const;
  /// Returns whether this version begins with the numbers of `family`: 1.10.2 is in 1.10, not in 1.1. A pre-release is
  /// its own family.
  bool is_in_family(const Version& family) const;
  std::strong_ordering operator<=>(const Version& other) const { return key() <=> other.key(); }
  bool operator==(const Version& other) const { return key() == other.key(); }

 private:
  std::string text_;
  std::vector<int> numbers_;
  std::optional<std::uint64_t> pre_release_;
};

/// A conjunction of comparisons, separated by single spaces: ">=1.5.0 <1.7.0", "==3.5", "<4"; "*" (the default) is
/// every version. A bare version means its family: "3.5" contains 3.5 and 3.5.2.
///
/// Pre-releases follow the order, except that "<2.13" also excludes those of 2.13: ">=2.12 <2.13" and ">=2.13" do not
/// contain 2.13.0-rc2; ">=2.12" and ">=2.13.0-rc1" do.
class VersionRange {
 public:
  /// Returns nothing for text that is not a range, or that no version can satisfy (">=2 <1").
  static std::optional<VersionRange> parse(std::string_view text);
  bool contains(const Version& version) const;
  const std::string& text() const { return text_; }
  /// Returns whether one of its bounds is a pre-release.
  bool names_pre_release() const { return text_.find('-') != std::string::npos; }

 private:
  // Each comparison is an interval of keys, and so is their conjunction.
  std::string text_ = "*";
  VersionKey begin_{};
  VersionKey end_{kNumberEnd};
};

/// Returns whether some version is in both ranges. An empty text (not a valid range) contains none.
bool have_common_release(const VersionRange& one, const VersionRange& other);

}  // namespace torchpatch
