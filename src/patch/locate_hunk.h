// SPDX-License-Identifier: BSD-3-Clause
/// Finds the place of each hunk in a file, without fuzz.
///
/// git apply's rules (git-apply(1), measured by the differential test): all lines of the old side must be there,
/// byte for byte. A hunk that starts at line 1 fits only at the beginning, one without context behind its last change
/// only at the end. No line may be used by two hunks. Off its stated line git takes the nearest fit; here there must be
/// exactly one. Lines that are added without any context fit only at their stated line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Returns the lines of `text`, each with its newline where it has one.
std::vector<std::string_view> split_lines(std::string_view text);

/// Where a hunk goes.
struct Place {
  std::size_t line = 0;   ///< 0-based, in the original file
  bool is_stated = true;  ///< both line numbers of the hunk say so, and it lies behind the hunks before it
  long offset = 0;        ///< lines from the stated place
};

/// A file's lines, and the hunks placed in it so far.
class HunkLocator {
 public:
  /// `text` is not copied.
  explicit HunkLocator(std::string_view text);

  /// Returns the place of `hunk` and takes it, or nothing where it does not fit or fits at several places.
  /// Hunks come in the order of the patch. `hunk` must outlive this.
  std::optional<Place> place(const Hunk& hunk);
  /// Goes on behind a hunk that place() found no place for, as if its lines were there: those that follow count on it.
  void pass_over(const Hunk& hunk);
  /// Says why place() found none: the first differing line, from shortly before its difference on, or the places where
  /// the hunk fits.
  std::string explain(const Hunk& hunk);
  /// Returns the text with all placed hunks applied.
  std::string result() const;

 private:
  /// The old side of a hunk and what its shape asks of its place.
  struct Pattern {
    std::vector<std::string_view> lines;
    bool at_begin = false;
    bool at_end = false;
    bool has_context = false;
  };
  struct Placed {
    std::size_t line = 0;
    std::size_t count = 0;  ///< old lines
    const Hunk* hunk = nullptr;
    std::size_t end() const { return line + count; }
  };

  static Pattern make_pattern(const Hunk& hunk);
  bool fits(const Pattern& pattern, std::size_t line) const;
  std::vector<std::size_t> find_elsewhere(Pattern pattern);
  const std::vector<std::uint32_t>& occurrences(std::string_view line);
  long shift_before(std::size_t line) const;
  void take(const Hunk& hunk, std::size_t line, std::size_t count);
  std::string first_difference(const Hunk& hunk, const Pattern& pattern) const;

  std::vector<std::string_view> lines_;
  std::vector<bool> is_taken_;
  std::vector<Placed> placed_;                                              ///< sorted by line
  long shift_ = 0;                                                          ///< lines that the placed hunks add
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> index_;  ///< made when a hunk is first searched
};

}  // namespace torchpatch::patch
