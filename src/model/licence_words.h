// SPDX-License-Identifier: BSD-3-Clause
/// The words of a licence file, and what of them is accounted for (internal).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torchpatch {

class LicenceWords {
 public:
  /// Takes runs of ASCII letters and digits, in lower case; everything else parts them.
  explicit LicenceWords(std::string_view text);

  /// Looks for `passage`: words with one space between them. "[n]" in it stands for at most n others; "{n}" as well,
  /// but these belong to the passage. Marks the first place's words as accounted for and returns whether there is one.
  bool take(std::string_view passage);
  /// The same for everything from the words `begin` to the words `end`; returns that text with one space between its
  /// words, or empty text.
  std::string take_between(std::string_view begin, std::string_view end);
  /// Nothing is accounted for any more.
  void reset();
  /// Returns whether any of `words` is left.
  bool has_left(const std::vector<std::string_view>& words) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// Returns the first place in [from, last] where `words` stand.
  std::size_t find(const std::vector<std::string_view>& words, std::size_t from, std::size_t last) const;
  void mark(std::size_t begin, std::size_t end);

  std::vector<std::string> words_;
  std::vector<bool> is_taken_;
};

}  // namespace torchpatch
