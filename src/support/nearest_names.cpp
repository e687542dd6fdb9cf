// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <utility>

#include "support/ascii.h"
#include "support/text.h"

namespace torchpatch {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns the runs of digits: "jetpack-4.6.1" gives 4, 6, 1. Digits alone would not do: 1.10 and 1.1.0 share theirs.
std::vector<std::string> numbers_of(std::string_view text) {
  std::vector<std::string> numbers;
  bool in_number = false;
  for (const char c : text) {
    if (is_digit(c) && !in_number) numbers.emplace_back();
    in_number = is_digit(c);
    if (in_number) numbers.back() += c;
  }
  return numbers;
}

bool numbers_differ(std::string_view a, std::string_view b) {
  const std::vector<std::string> in_a = numbers_of(a);
  const std::vector<std::string> in_b = numbers_of(b);
  return !in_a.empty() && !in_b.empty() && in_a != in_b;
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t replaced = last[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      row[k] = std::min({replaced, last[k] + 1, row[k - 1] + 1});
      const bool is_swap = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (is_swap) row[k] = std::min(row[k], before_last[k - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestName = 200;
  constexpr std::size_t kMostNames = 3;
  if (name.empty() || name.size() > kLongestName) return {};
  const std::size_t farthest = std::max<std::size_t>(1, name.size() / 3);
  const std::string wanted = lower_case(name);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestName || numbers_differ(name, candidate)) continue;
    const std::size_t distance = edit_distance(wanted, lower_case(candidate));
    if (distance <= farthest && distance < candidate.size()) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (near.size() > kMostNames) near.resize(kMostNames);
  std::vector<std::string> names;
  for (auto& [distance, candidate] : near) names.push_back(std::move(candidate));
  return names;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  std::string out;
  const std::vector<std::string> names = nearest_names(name, candidates);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += quote(names[i]);
  }
  return out.empty() ? out : "did you mean " + out + "?";
}

}  // namespace torchpatch
