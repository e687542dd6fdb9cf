// SPDX-License-Identifier: BSD-3-Clause
#include "model/version.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch {
namespace {

constexpr std::string_view kPreRelease = "-rc";

/// Returns the first key after all that share `key` up to `position`.
VersionKey successor(VersionKey key, std::size_t position) {
  ++key[position];
  std::fill(key.begin() + static_cast<std::ptrdiff_t>(position) + 1, key.end(), 0);
  return key;
}

/// The versions in [begin, end).
struct Interval {
  VersionKey begin{};
  VersionKey end;
};

constexpr VersionKey kEnd = {kNumberEnd};

/// Returns the versions for which one comparison such as ">=1.5" holds, or nothing if it is not one.
std::optional<Interval> parse_comparison(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("<>="), text.size());
  const std::string_view relation = text.substr(0, digits);
  const std::optional<Version> version = Version::parse(text.substr(digits));
  if (!version) return std::nullopt;
  const VersionKey key = version->key();
  const bool is_pre_release = version->is_pre_release();
  const VersionKey next = successor(key, is_pre_release ? kMostNumbers : kMostNumbers - 1);
  VersionKey first = key;
  if (!is_pre_release) first.back() = 0;  // the first of its pre-releases
  if (relation == "<") return Interval{{}, first};
  if (relation == "<=") return Interval{{}, next};
  if (relation == "==") return Interval{key, next};
  if (relation == ">=") return Interval{key, kEnd};
  if (relation == ">") return Interval{next, kEnd};
  if (relation.empty()) return Interval{key, is_pre_release ? next : successor(key, version->numbers().size() - 1)};
  return std::nullopt;
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  Version version;
  version.text_ = text;
  const std::size_t dash = std::min(text.find('-'), text.size());
  if (dash < text.size()) {
    if (!starts_with(text.substr(dash), kPreRelease)) return std::nullopt;
    version.pre_release_ = parse_decimal(text.substr(dash + kPreRelease.size()));
    if (version.pre_release_.value_or(kNumberEnd) >= kNumberEnd) return std::nullopt;
  }
  for (const std::string& part : split(text.substr(0, dash), '.')) {
    const std::optional<std::uint64_t> number = parse_decimal(part);
    if (!number || *number >= kNumberEnd || version.numbers_.size() == kMostNumbers) return std::nullopt;
    version.numbers_.push_back(static_cast<int>(*number));
  }
  return version;
}

VersionKey Version::key() const {
  VersionKey key{};
  std::copy(numbers_.begin(), numbers_.end(), key.begin());
  key.back() = pre_release_.value_or(kNumberEnd);
  return key;
}

bool Version::is_in_family(const Version& family) const {
  if (family.is_pre_release()) return *this == family;
  const VersionKey own = key();
  return std::equal(family.numbers_.begin(), family.numbers_.end(), own.begin());
}

std::optional<VersionRange> VersionRange::parse(std::string_view text) {
  VersionRange range;
  range.text_ = text;
  if (text == "*") return range;
  for (const std::string& part : split(text, ' ')) {
    const std::optional<Interval> interval = parse_comparison(part);
    if (!interval) return std::nullopt;
    range.begin_ = std::max(range.begin_, interval->begin);
    range.end_ = std::min(range.end_, interval->end);
  }
  if (range.begin_ >= range.end_) return std::nullopt;
  return range;
}

bool VersionRange::contains(const Version& version) const {
  const VersionKey key = version.key();
  return begin_ <= key && key < end_;
}

bool have_common_release(const VersionRange& one, const VersionRange& other) {
  if (one.text().empty() || other.text().empty()) return false;  // one is not a range, which is reported separately
  if (one.text() == "*" || other.text() == "*") return true;
  // A range that no version can satisfy does not parse.
  return VersionRange::parse(concat(one.text(), ' ', other.text())).has_value();
}

}  // namespace torchpatch
