// SPDX-License-Identifier: BSD-3-Clause
/// Walks over the lines of a patch text and says where an error is.
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::patch {

class LineReader {
 public:
  /// `name` is the patch's, for messages. Neither is copied.
  LineReader(std::string_view text, std::string_view name);

  bool at_end() const { return begin_ == text_.size(); }
  /// The current line without its newline; empty at the end.
  std::string_view line() const { return text_.substr(begin_, end_ - begin_); }
  /// The line after the current one, or empty text.
  std::string_view next_line() const;
  /// False for a last line that the text breaks off in.
  bool has_newline() const { return end_ < text_.size(); }
  void advance();
  /// The text before the current line.
  std::string_view text_before() const { return text_.substr(0, begin_); }

  /// Raises data: "patch 'NAME', line 7: WHY".
  [[noreturn]] void fail(const std::string& why, const std::string& hint = {}) const;
  /// Raises unsafe, in the same words.
  [[noreturn]] void refuse(const std::string& why, const std::string& hint = {}) const;

 private:
  std::string place() const;
  std::size_t line_end(std::size_t begin) const;

  std::string_view text_;
  std::string_view name_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  int number_ = 1;
};

}  // namespace torchpatch::patch
