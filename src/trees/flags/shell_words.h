// SPDX-License-Identifier: BSD-3-Clause
/// ShellWords: the words and signs of a POSIX or bash script, as far as `flags --check` needs them. Nothing is run or
/// expanded.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/flags.h"

namespace torchpatch::trees {

struct ShellToken {
  enum class Kind { word, sign, end } kind = Kind::end;
  std::string text;        ///< of a word without its quotes, with a '$' for each expansion; of a sign: "&&", "\n"
  std::size_t line = 0;    ///< on which it begins
  std::size_t bare = 0;    ///< characters before the first quote or expansion
  bool is_literal = true;  ///< nothing in it is expanded
  std::set<std::string> reads{};  ///< variables that it expands

  bool is_word() const { return kind == Kind::word; }
  bool is_sign(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  /// Whether it is this word without quotes, as reserved words must be.
  bool is_bare(std::string_view word) const { return is_word() && bare == text.size() && text == word; }
};

/// What was passed over, and what the text reads.
struct ScriptRemarks {
  std::vector<SkippedPart> skipped;
  std::set<std::string> reads;  ///< variables that it expands, also within what was passed over
};

struct HereDocument {
  std::size_t line = 0;  ///< of its first line
  std::string_view text;
};

/// Reads words one by one. Redirections and comments are left out, and here-documents are kept apart. A quote or a
/// parenthesis that is not closed ends the text, with a remark.
class ShellWords {
 public:
  /// `line`: the number of the text's first line.
  ShellWords(std::string_view text, std::size_t line, ScriptRemarks& remarks)
      : text_(text), line_(line), remarks_(remarks) {}

  const ShellToken& peek(std::size_t ahead = 0);
  ShellToken take();
  /// Behind the first parenthesis of "((…))": passes over the rest; else returns false.
  bool skip_arithmetic();
  /// Returns the here-documents that ended before the next token.
  std::vector<HereDocument> take_here_documents() { return std::exchange(read_documents_, {}); }

 private:
  struct DocumentEnd {
    std::string word;
    bool has_tabs;
  };

  char at(std::size_t offset = 0) const { return at_ + offset < text_.size() ? text_[at_ + offset] : '\0'; }
  bool is_at(std::string_view words) const { return text_.substr(at_, words.size()) == words; }
  ShellToken read_token();
  ShellToken read_word();
  bool skip_redirection();
  void read_here_documents();
  void read_quoted(char quote, ShellToken& word);
  void read_expansion(ShellToken& word);
  /// Passes over what stands between brackets, the first of which is next; returns it without them.
  std::string_view skip_brackets(char open, char close);
  void skip_to_end(const std::string& what, std::size_t line);
  void note_reads(std::string_view text, ShellToken* word);

  std::string_view text_;
  std::size_t at_ = 0, line_;
  ScriptRemarks& remarks_;
  std::deque<ShellToken> ahead_;
  std::vector<DocumentEnd> document_ends_;
  std::vector<HereDocument> read_documents_;
};

/// Whether a text has NAME=VALUE somewhere: then it is worth a remark that it was not read.
bool has_assignment(std::string_view text);

}  // namespace torchpatch::trees
