// SPDX-License-Identifier: BSD-3-Clause
/// Carries places in sources over from one release to another, by what differs between the two files (carry_places);
/// where lines went (line_map), and which variables a file reads (variables_read).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalog.h"
#include "model/release_draft.h"
#include "source/closure/pinned_lookup.h"

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

/// Returns where the lines of a file went in another version of it.
LineMap line_map(const std::vector<std::string>& before, const std::vector<std::string>& after);

/// Returns how much two lines have in common, from 0 to 1, by their words and signs; one quotation mark is like
/// another.
double line_likeness(std::string_view a, std::string_view b);

/// Returns whether a line of a file has nothing but a comment, by the file's name: Python, CMake, shell, or C++.
bool is_comment(std::string_view line, std::string_view file);

struct ReadVariable {
  std::string name;
  std::size_t line = 0;  ///< from 1
};

/// Returns what the lines of a file read, in order, perhaps one name at several lines: by getenv, os.environ and their
/// likes, $ENV{X}, DEFINED ENV{X} and `PATHS ENV X` of CMake; CMake's options USE_X and BUILD_X, which torch's build
/// takes from the environment; and names alone in quotes, as in the table of those that it passes on. Comments and what
/// sets a variable read nothing.
std::vector<ReadVariable> variables_read(const std::vector<std::string>& lines, std::string_view file);

/// What the sources of a new release say of what older ones cite.
struct CarriedPlaces {
  std::map<std::string, std::string> flags;  ///< as Release has them, at their new places; those that were found
  std::map<Component, std::map<std::string, std::string>> imports;
  std::vector<ChangedPlace> changed;  ///< of these, those whose line is another
  std::vector<LostPlace> lost;
  std::vector<std::string> first;  ///< variables that these sources name for the first time
  Citations citations;             ///< those that hold, of the new release
  std::vector<LostCitation> lost_citations;
  std::string cmake;  ///< lowest version that torch's CMakeLists.txt takes, or empty
  PagesAtRelease pages;
};

/// Carries the places of `like` over to the pins of `release`; variables and modules of components that it has not are
/// left out. A line that was changed is carried over to the one in its place that is most like it and still names the
/// variable, or to the only line of the file that does. Citations hold where the line that theirs became has their
/// words. Of each issue that affects the release: what its page cites of the nearest release before must be in the file
/// still, on whatever line, and what it says is absent must not have come.
/// Reads in a worker. Raises source for what is nowhere, but for files that are only cited or looked at for new
/// variables.
CarriedPlaces carry_places(const Catalog& catalog, const Release& like, const Release& release,
                           source::ObjectSource& source, Console& console);

}  // namespace torchpatch::upkeep
