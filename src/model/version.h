// SPDX-License-Identifier: BSD-3-Clause
/// Versions and ranges of versions, compared number by number.
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

/// Bounds of a version: how many numbers it has at most, and what each is below.
inline constexpr std::size_t kMostNumbers = 6;
inline constexpr std::uint64_t kNumberEnd = 1'000'000'000;

/// The numbers of a version, filled up with zeros, and the number of its pre-release, of a release kNumberEnd: versions
/// compare as their keys do.
using VersionKey = std::array<std::uint64_t, kMostNumbers + 1>;

/// A version: numbers with dots, such as 1.10.2 or 28.2.1, perhaps a pre-release, 2.13.0-rc2, which comes before its
/// release. Missing numbers count as 0, so 1.10 == 1.10.0.
class Version {
 public:
  /// Returns nothing for text that is not 1 to 6 decimal numbers joined by dots, perhaps with "-rc" and one more behind
  /// them (each below 10^9, no leading zeros).
  static std::optional<Version> parse(std::string_view text);
  const std::string& text() const { return text_; }
  const std::vector<int>& numbers() const { return numbers_; }
  bool is_pre_release() const { return pre_release_.has_value(); }
  VersionKey key() const;
  /// True where this version begins with the numbers of `family`: 1.10.2 is in 1.10, not in 1.1. A pre-release is a
  /// family of its own.
  bool is_in_family(const Version& family) const;
  std::strong_ordering operator<=>(const Version& other) const { return key() <=> other.key(); }
  bool operator==(const Version& other) const { return key() == other.key(); }

 private:
  std::string text_;
  std::vector<int> numbers_;
  std::optional<std::uint64_t> pre_release_;
};

/// A conjunction of comparisons, separated by single spaces: ">=1.5.0 <1.7.0", "==3.5", "<4"; "*" is every version.
/// A bare version means its family: "3.5" holds for 3.5 and 3.5.2. The default is "*".
///
/// A pre-release lies where the order puts it, but "<2.13" shuts out those of 2.13 as well: ">=2.12 <2.13" and
/// ">=2.13" both fail for 2.13.0-rc2, ">=2.12" and ">=2.13.0-rc1" hold.
class VersionRange {
 public:
  /// Returns nothing for text that is not a range or that no version can meet (">=2 <1").
  static std::optional<VersionRange> parse(std::string_view text);
  bool contains(const Version& version) const;
  const std::string& text() const { return text_; }
  /// Whether one of its bounds is a pre-release.
  bool names_pre_release() const { return text_.find('-') != std::string::npos; }

 private:
  // Each comparison holds for an interval of keys, and so does their conjunction.
  std::string text_ = "*";
  VersionKey begin_{};
  VersionKey end_{kNumberEnd};
};

/// Returns whether some version is in both. A range whose text is empty, for it was not one, has none.
bool have_common_release(const VersionRange& one, const VersionRange& other);

}  // namespace torchpatch
