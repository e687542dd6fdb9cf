// SPDX-License-Identifier: BSD-3-Clause
#include "patch/line_diff.h"

#include <algorithm>
#include <cstdint>

namespace torchpatch::patch {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kMostCells = 16'000'000;

/// All lines of both sides in order; removed ones before added ones.
std::vector<HunkLine> align(const Lines& before, const Lines& after) {
  const std::size_t width = after.size() + 1;
  const bool is_small = (before.size() + 1) * width <= kMostCells;
  // lengths[i * width + j]: of the longest common subsequence of before from i on and after from j on.
  std::vector<std::uint32_t> lengths(is_small ? (before.size() + 1) * width : 0, 0);
  for (std::size_t i = before.size(); is_small && i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      const std::size_t at = i * width + j;
      lengths[at] =
          before[i] == after[j] ? lengths[at + width + 1] + 1 : std::max(lengths[at + width], lengths[at + 1]);
    }
  }
  std::vector<HunkLine> lines;
  std::size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    const bool has_both = i < before.size() && j < after.size();
    if (has_both && is_small && before[i] == after[j]) {
      lines.push_back({LineKind::context, before[i++] + "\n"});
      ++j;
    } else if (j == after.size() ||
               (has_both && (!is_small || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]))) {
      lines.push_back({LineKind::removed, before[i++] + "\n"});
    } else {
      lines.push_back({LineKind::added, after[j++] + "\n"});
    }
  }
  return lines;
}

}  // namespace

std::vector<Hunk> diff_lines(const Lines& before, const Lines& after, std::size_t context) {
  const std::vector<HunkLine> lines = align(before, after);
  std::vector<Hunk> hunks;
  std::size_t shown = 0;                 // lines that are in a hunk, or passed over
  std::uint32_t at_old = 1, at_new = 1;  // numbers of the line `shown`
  const auto take = [&](std::size_t end, bool is_shown) {
    for (; shown < end; ++shown) {
      const bool is_old = lines[shown].kind != LineKind::added, is_new = lines[shown].kind != LineKind::removed;
      if (is_shown) {
        hunks.back().lines.push_back(lines[shown]);
        hunks.back().old_count += is_old ? 1 : 0;
        hunks.back().new_count += is_new ? 1 : 0;
      }
      at_old += is_old ? 1 : 0;
      at_new += is_new ? 1 : 0;
    }
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind == LineKind::context) continue;
    if (hunks.empty() || i > shown + 2 * context) {
      if (!hunks.empty()) take(shown + context, true);
      take(std::max(shown, i - std::min(i, context)), false);
      Hunk& hunk = hunks.emplace_back();
      hunk.old_start = at_old;
      hunk.new_start = at_new;
    }
    take(i + 1, true);
  }
  if (!hunks.empty()) take(std::min(lines.size(), shown + context), true);
  return hunks;
}

}  // namespace torchpatch::patch
