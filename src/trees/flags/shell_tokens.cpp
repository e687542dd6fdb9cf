// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "support/text.h"
#include "trees/flags/read_script.h"

namespace torchpatch::trees {

namespace {

bool is_one_of(char c, std::string_view characters) { return characters.find(c) != std::string_view::npos; }
bool is_blank(char c) { return is_one_of(c, " \t\r"); }
bool ends_word(char c) { return c == '\0' || is_blank(c) || is_one_of(c, "\n;&|<>()"); }
bool begins_name(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view name_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (begins_name(text[end]) || (end > at && is_digit(text[end])))) ++end;
  return text.substr(at, end - at);
}

class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::size_t line, Script& script) : text_(text), line_(line), script_(script) {}

  std::vector<ShellToken> run() {
    while (skip_blanks())
      if (!ends_word(at()))
        tokens_.push_back(read_word());
      else if (is_at("(("))
        skip_brackets('(', ')');
      else
        read_sign();
    tokens_.push_back({.kind = ShellToken::Kind::end, .text = {}, .line = line_});
    return std::move(tokens_);
  }

 private:
  char at(std::size_t offset = 0) const { return at_ + offset < text_.size() ? text_[at_ + offset] : '\0'; }
  bool is_at(std::string_view words) const { return text_.substr(at_, words.size()) == words; }
  /// Moves to a position and counts the lines before it.
  void go_to(std::size_t place) {
    const std::string_view passed = text_.substr(at_, place - at_);
    line_ += static_cast<std::size_t>(std::ranges::count(passed, '\n'));
    at_ = std::min(place, text_.size());
  }

  void note_reads(std::string_view text, ShellToken* word = nullptr) {
    for (std::size_t at = text.find('$'); at < text.size(); at = text.find('$', at + 1)) {
      std::size_t begin = at + 1;
      while (begin < text.size() && is_one_of(text[begin], "{(!#")) ++begin;
      const std::string name(name_at(text, begin));
      if (name.empty()) continue;
      script_.reads.insert(name);
      if (word) word->reads.insert(name);
    }
  }

  /// Skips an unclosed construct, which ends the text.
  void skip_from(std::size_t begin, std::size_t line, const std::string& what) {
    script_.skipped.push_back({line, concat(what, " that is not closed, and everything after it")});
    note_reads(text_.substr(std::min(begin, text_.size())));
    at_ = text_.size();
  }

  /// Skips a bracketed part that begins here; returns its inside.
  std::string_view skip_brackets(char open, char close) {
    const std::size_t begin = at_, line = line_;
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = at();
      std::size_t next = at_ + 1;
      if (c == '\\') {
        ++next;
      } else if (c == '\'' || c == '"') {
        std::size_t end = text_.find(c, next);
        while (c == '"' && end < text_.size() && text_[end - 1] == '\\') end = text_.find(c, end + 1);
        if (end == std::string_view::npos) break;
        next = end + 1;
      } else if (c == '#' && open == '(' && (is_blank(text_[at_ - 1]) || text_[at_ - 1] == '\n')) {
        next = std::min(text_.find('\n', at_), text_.size());
      } else if (c == open) {
        ++depth;
      } else if (c == close && --depth == 0) {
        ++at_;
        return text_.substr(begin + 1, at_ - begin - 2);
      }
      go_to(next);
    }
    skip_from(begin, line, concat("a '", std::string(1, open), "'"));
    return {};
  }

  static void add_expansion(ShellToken& word) {
    word.text += '$';
    word.is_literal = false;
  }

  void read_expansion(ShellToken& word) {
    ++at_;
    const char c = at();
    if (c == '\'') return read_quoted('\'', word);
    if (c == '"') return;
    if (c == '(' || c == '{') {
      const std::string_view inside = skip_brackets(c, c == '(' ? ')' : '}');
      if (c == '{') note_reads(concat("$", inside), &word);
      note_reads(inside, &word);
    } else if (const std::string_view name = name_at(text_, at_); !name.empty()) {
      note_reads(text_.substr(at_ - 1, name.size() + 1), &word);
      at_ += name.size();
    } else if (is_digit(c) || (c != '\0' && is_one_of(c, "@*#?$!-"))) {
      ++at_;
    } else {
      word.text += '$';
      return;
    }
    add_expansion(word);
  }

  /// Reads a command in backticks.
  void read_command(ShellToken& word) {
    const std::size_t end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos) return skip_from(at_, line_, "a '`'");
    note_reads(text_.substr(at_, end - at_), &word);
    go_to(end + 1);
    add_expansion(word);
  }

  /// Reads a quoted string.
  void read_quoted(char quote, ShellToken& word) {
    const std::size_t begin = at_, line = line_;
    const bool is_double = quote == '"';
    for (++at_; at_ < text_.size();) {
      const char c = at();
      if (c == quote) {
        ++at_;
        if (!is_double) note_reads(text_.substr(begin, at_ - begin));  // possibly for a shell that gets it
        return;
      }
      if (is_double && c == '$') {
        read_expansion(word);
      } else if (is_double && c == '`' && text_.find('`', at_ + 1) != std::string_view::npos) {
        read_command(word);
      } else if (is_double && c == '\\' && at(1) != '\0') {
        if (!is_one_of(at(1), "\"\\$`\n")) word.text += c;
        if (at(1) != '\n') word.text += at(1);
        go_to(at_ + 2);
      } else {
        word.text += c;
        go_to(at_ + 1);
      }
    }
    skip_from(begin, line, "a quote");
  }

  ShellToken read_word() {
    ShellToken word{.text = {}, .line = line_};
    bool is_bare = true;
    const auto end_bare = [&] {
      if (is_bare) word.bare = word.text.size();
      is_bare = false;
    };
    while (at_ < text_.size()) {
      const char c = at();
      const bool is_array = c == '(' && is_bare && word.text.ends_with('=');
      const bool is_pattern = c == '(' && !word.text.empty() && is_one_of(word.text.back(), "?*+@!");
      if (ends_word(c) && !is_array && !is_pattern) break;
      if (c == '\\' && at(1) == '\n') {
        go_to(at_ + 2);
        continue;
      }
      if (is_one_of(c, "(\\'\"$`")) end_bare();
      if (c == '(') {
        const std::string_view inside = skip_brackets('(', ')');
        note_reads(inside, &word);
        word.text += inside;
        word.is_literal = false;
      } else if (c == '\\') {
        if (at(1) != '\0') word.text += at(1);
        at_ = std::min(at_ + 2, text_.size());
      } else if (c == '\'' || c == '"') {
        read_quoted(c, word);
      } else if (c == '$') {
        read_expansion(word);
      } else if (c == '`') {
        read_command(word);
      } else {
        word.text += c;
        ++at_;
      }
    }
    end_bare();
    find_assignment(word);
    return word;
  }

  /// Recognises NAME=VALUE or NAME+=VALUE with an unquoted name.
  static void find_assignment(ShellToken& word) {
    const std::size_t equals = word.text.find('=');
    if (equals == std::string::npos || equals >= word.bare) return;
    const bool is_added = equals > 0 && word.text[equals - 1] == '+';
    const std::size_t end = equals - (is_added ? 1 : 0);
    if (end == 0 || name_at(word.text, 0).size() != end) return;
    word.name = word.text.substr(0, end);
    word.value = word.text.substr(equals + 1);
    if (is_added) word.reads.insert(word.name);
  }

  /// Skips blanks, comments and redirections; returns whether anything is left.
  bool skip_blanks() {
    while (at_ < text_.size())
      if (is_blank(at()))
        ++at_;
      else if (is_at("\\\n") || is_at("\\\r\n"))
        go_to(text_.find('\n', at_) + 1);
      else if (at() == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (!skip_redirection())
        return true;
    return false;
  }

  /// Skips a redirection with its word, if one is next.
  bool skip_redirection() {
    std::size_t digits = 0;
    while (is_digit(at(digits))) ++digits;
    if (is_at("&>")) digits = 1;
    const char c = at(digits);
    if (c != '<' && c != '>') return false;
    at_ += digits;
    if (at(1) == '(') {  // <(command)
      ++at_;
      note_reads(skip_brackets('(', ')'));
      return true;
    }
    const bool is_document = is_at("<<") && !is_at("<<<"), has_tabs = is_at("<<-");
    while (at_ < text_.size() && (is_one_of(at(), "<>&|") || (has_tabs && at() == '-'))) ++at_;
    while (is_blank(at())) ++at_;
    if (ends_word(at())) return true;
    const ShellToken word = read_word();
    if (is_document) document_ends_.push_back(word.text);
    return true;
  }

  void read_sign() {
    ShellToken sign{.kind = ShellToken::Kind::sign, .text = {}, .line = line_};
    for (const std::string_view each : {";;&", ";;", ";&", "&&", "||", "|&"})
      if (sign.text.empty() && is_at(each)) sign.text = each;
    if (sign.text.empty()) sign.text = at();
    go_to(at_ + sign.text.size());
    const bool is_line_end = sign.text == "\n";
    tokens_.push_back(std::move(sign));
    if (!is_line_end) return;
    for (const std::string& end : std::exchange(document_ends_, {})) read_document(end);
  }

  /// Reads a here-document.
  void read_document(const std::string& end) {
    ShellToken document{.kind = ShellToken::Kind::document, .text = {}, .line = line_};
    while (at_ < text_.size()) {
      const std::size_t newline = std::min(text_.find('\n', at_), text_.size() - 1);
      const std::string_view line = text_.substr(at_, newline + 1 - at_);
      go_to(newline + 1);
      if (trim(line) == end) break;
      document.text += line;
    }
    note_reads(document.text);
    tokens_.push_back(std::move(document));
  }

  std::string_view text_;
  std::size_t at_ = 0, line_;
  Script& script_;
  std::vector<ShellToken> tokens_;
  std::vector<std::string> document_ends_;
};

}  // namespace

std::vector<ShellToken> shell_tokens(std::string_view text, std::size_t line, Script& script) {
  return Tokenizer(text, line, script).run();
}

}  // namespace torchpatch::trees
