// SPDX-License-Identifier: BSD-3-Clause
/// Where the lines of a file went in another version of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::upkeep {

/// Lines [first, end), from 1.
struct LineRange {
  std::size_t first = 0, end = 0;
  bool operator==(const LineRange&) const = default;
};

/// Both for each line of the old file, from 1; element 0 is empty.
struct LineMap {
  std::vector<std::size_t> same;   ///< the line that it became; 0 where it is gone or was changed
  std::vector<LineRange> instead;  ///< what stands there now where it is gone or was changed
};

LineMap line_map(const std::vector<std::string>& before, const std::vector<std::string>& after);

/// Returns how much two lines have in common, from 0 to 1, by their words and signs; one quotation mark is like
/// another.
double line_likeness(std::string_view a, std::string_view b);

/// Returns whether a line of a file has nothing but a comment, by the file's name: Python, CMake, shell, or C++.
bool is_comment(std::string_view line, std::string_view file);

}  // namespace torchpatch::upkeep
