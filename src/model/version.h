// SPDX-License-Identifier: BSD-3-Clause
/// Versions and ranges, compared number by number; the one implementation (design §5).
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torchpatch {

/// A version: numbers with dots, such as 1.10.2 or 28.2.1. Missing numbers count as 0, so 1.10 == 1.10.0.
class Version {
 public:
  /// Returns nothing for text that is not 1 to 6 decimal numbers (each below 10^9, no leading zeros) joined by dots.
  static std::optional<Version> parse(std::string_view text);
  const std::string& text() const { return text_; }
  const std::vector<int>& numbers() const { return numbers_; }
  /// True where this version begins with the numbers of `family`: 1.10.2 is in 1.10, not in 1.1.
  bool is_in_family(const Version& family) const;
  std::strong_ordering operator<=>(const Version& other) const;
  bool operator==(const Version& other) const { return (*this <=> other) == 0; }

 private:
  std::string text_;
  std::vector<int> numbers_;
};

/// A conjunction of comparisons, separated by spaces: ">=1.5.0 <1.7.0", "==3.5", "<4"; "*" is every version.
/// A bare version means "==" on its family: "3.5" holds for 3.5 and 3.5.2.
class VersionRange {
 public:
  /// Returns nothing for text that is not a range or that no version can meet (">=2 <1").
  static std::optional<VersionRange> parse(std::string_view text);
  bool contains(const Version& version) const;
  const std::string& text() const { return text_; }

 private:
  enum class Relation { less, less_equal, equal, greater_equal, greater, family };
  struct Bound {
    Relation relation;
    Version version;
  };
  std::string text_;
  std::vector<Bound> bounds_;
};

}  // namespace torchpatch
