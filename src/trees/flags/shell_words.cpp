// SPDX-License-Identifier: BSD-3-Clause
#include "trees/flags/shell_words.h"

#include <algorithm>

#include "model/release.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool ends_word(char c) {
  return c == '\0' || is_blank(c) || std::string_view("\n;&|<>()").find(c) < std::string_view::npos;
}
bool begins_name(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view name_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (begins_name(text[end]) || (end > at && is_digit(text[end])))) ++end;
  return text.substr(at, end - at);
}

}  // namespace

bool has_assignment(std::string_view text) {
  for (std::size_t at = text.find('='); at < text.size(); at = text.find('=', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && (std::isupper(static_cast<unsigned char>(text[begin - 1])) || text[begin - 1] == '_' ||
                         is_digit(text[begin - 1])))
      --begin;
    if (at - begin > 3) return true;
  }
  return false;
}

const ShellToken& ShellWords::peek(std::size_t ahead) {
  while (ahead_.size() <= ahead) ahead_.push_back(read_token());
  return ahead_[ahead];
}

ShellToken ShellWords::take() {
  ShellToken token = peek();
  ahead_.pop_front();
  return token;
}

void ShellWords::note_reads(std::string_view text, ShellToken* word) {
  for (std::size_t at = text.find('$'); at < text.size(); at = text.find('$', at + 1)) {
    std::size_t begin = at + 1;
    while (begin < text.size() && std::string_view("{(!#").find(text[begin]) < std::string_view::npos) ++begin;
    const std::string name(name_at(text, begin));
    if (name.empty()) continue;
    remarks_.reads.insert(name);
    if (word) word->reads.insert(name);
  }
}

void ShellWords::skip_to_end(const std::string& what, std::size_t line) {
  remarks_.skipped.push_back({line, concat(what, " that is not closed, and everything after it")});
  note_reads(text_.substr(at_), nullptr);
  at_ = text_.size();
}

std::string_view ShellWords::skip_brackets(char open, char close) {
  const std::size_t begin = at_, line = line_;
  std::size_t depth = 0;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    if (c == '\\') {
      ++at_;
      if (at() == '\n') ++line_;
    } else if (c == '\'' || c == '"') {
      std::size_t end = text_.find(c, at_ + 1);
      while (c == '"' && end < text_.size() && text_[end - 1] == '\\') end = text_.find(c, end + 1);
      if (end == std::string_view::npos) break;
      line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                   text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      at_ = end;
    } else if (c == '#' && open == '(' && (is_blank(text_[at_ - 1]) || text_[at_ - 1] == '\n')) {
      while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      ++at_;
      return text_.substr(begin + 1, at_ - begin - 2);
    }
  }
  at_ = std::min(begin, text_.size());
  skip_to_end(concat("a '", std::string(1, open), "'"), line);
  return {};
}

bool ShellWords::skip_arithmetic() {
  if (!peek().is_sign("(") || ahead_.size() != 1 || at_ < 2 || text_[at_ - 2] != '(') return false;
  ahead_.clear();
  at_ -= 2;
  skip_brackets('(', ')');
  return true;
}

void ShellWords::read_expansion(ShellToken& word) {
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
  } else if (is_digit(c) || (c != '\0' && std::string_view("@*#?$!-").find(c) < std::string_view::npos)) {
    ++at_;
  } else {
    word.text += '$';
    return;
  }
  word.text += '$';
  word.is_literal = false;
}

/// Reads a string in quotes, the first of which is next.
void ShellWords::read_quoted(char quote, ShellToken& word) {
  const std::size_t begin = at_, line = line_;
  ++at_;
  while (at_ < text_.size()) {
    const char c = at();
    if (c == quote) {
      ++at_;
      return;
    }
    if (c == '\n') ++line_;
    if (quote == '"' && c == '$') {
      read_expansion(word);
    } else if (quote == '"' && c == '\\' && at(1) != '\0') {
      if (at(1) == '\n') ++line_;
      if (std::string_view("\"\\$`\n").find(at(1)) == std::string_view::npos) word.text += c;
      if (at(1) != '\n') word.text += at(1);
      at_ += 2;
    } else if (quote == '"' && c == '`') {
      word.text += '$';
      word.is_literal = false;
      ++at_;
      while (at_ < text_.size() && at() != '`') line_ += at() == '\n' ? 1 : 0, ++at_;
      ++at_;
    } else {
      word.text += c;
      ++at_;
    }
  }
  if (quote == '\'') note_reads(text_.substr(begin), nullptr);
  at_ = std::min(begin, text_.size());
  skip_to_end("a quote", line);
}

ShellToken ShellWords::read_word() {
  ShellToken word;
  word.kind = ShellToken::Kind::word;
  word.line = line_;
  bool is_bare = true;
  const auto end_bare = [&] {
    if (is_bare) word.bare = word.text.size();
    is_bare = false;
  };
  while (at_ < text_.size()) {
    const char c = at();
    const bool is_array = c == '(' && is_bare && word.text.ends_with('=');
    const bool is_pattern = c == '(' && !word.text.empty() && std::string_view("?*+@!").find(word.text.back()) < 5;
    if (is_array || is_pattern) {
      end_bare();
      const std::string_view inside = skip_brackets('(', ')');
      note_reads(inside, &word);
      word.text += inside;
      word.is_literal = false;
    } else if (ends_word(c)) {
      break;
    } else if (c == '\\') {
      if (at(1) == '\n') {
        ++line_;
      } else {
        end_bare();
        if (at(1) != '\0') word.text += at(1);
      }
      at_ = std::min(at_ + 2, text_.size());
    } else if (c == '\'' || c == '"') {
      end_bare();
      const std::size_t begin = at_;
      read_quoted(c, word);
      if (c == '\'') note_reads(text_.substr(begin, at_ - begin), nullptr);  // perhaps of a shell that gets it
    } else if (c == '$') {
      end_bare();
      read_expansion(word);
    } else if (c == '`') {
      end_bare();
      const std::size_t end = text_.find('`', at_ + 1);
      if (end == std::string_view::npos) {
        skip_to_end("a '`'", line_);
        break;
      }
      note_reads(text_.substr(at_, end - at_), &word);
      line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
      at_ = end + 1;
      word.text += '$';
      word.is_literal = false;
    } else {
      word.text += c;
      ++at_;
    }
  }
  end_bare();
  return word;
}

/// Passes over a redirection with its word, if one is next.
bool ShellWords::skip_redirection() {
  std::size_t digits = 0;
  while (is_digit(at(digits))) ++digits;
  if (is_at("&>")) digits = 1;
  const char c = at(digits);
  if (c != '<' && c != '>') return false;
  at_ += digits;
  if (at(1) == '(') {  // <(command)
    ++at_;
    note_reads(skip_brackets('(', ')'), nullptr);
    return true;
  }
  const bool is_here_string = is_at("<<<"), is_here = !is_here_string && is_at("<<");
  const bool has_tabs = is_here && at(2) == '-';
  while (at() == '<' || at() == '>' || at() == '&' || at() == '|' || (has_tabs && at() == '-')) ++at_;
  while (is_blank(at())) ++at_;
  if (ends_word(at())) return true;
  const ShellToken word = read_word();
  if (is_here) document_ends_.push_back({word.text, has_tabs});
  return true;
}

/// Reads the here-documents that begin on the next line.
void ShellWords::read_here_documents() {
  for (const DocumentEnd& each : document_ends_) {
    const std::size_t begin = at_, first_line = line_;
    std::size_t end = at_;
    while (at_ < text_.size()) {
      const std::size_t newline = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, newline - at_);
      end = at_;
      at_ = std::min(newline + 1, text_.size());
      ++line_;
      while (each.has_tabs && line.starts_with('\t')) line.remove_prefix(1);
      if (trim(line) == each.word) break;
      end = at_;
    }
    read_documents_.push_back({first_line, text_.substr(begin, end - begin)});
    note_reads(read_documents_.back().text, nullptr);
  }
  document_ends_.clear();
}

ShellToken ShellWords::read_token() {
  while (at_ < text_.size()) {
    if (is_blank(at())) {
      ++at_;
    } else if (at() == '\\' && (at(1) == '\n' || (at(1) == '\r' && at(2) == '\n'))) {
      at_ += at(1) == '\n' ? 2 : 3;
      ++line_;
    } else if (at() == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (!skip_redirection()) {
      break;
    }
  }
  if (at_ >= text_.size()) return {.kind = ShellToken::Kind::end, .text = {}, .line = line_};
  if (!ends_word(at())) return read_word();
  ShellToken sign{.kind = ShellToken::Kind::sign, .text = {}, .line = line_};
  for (const std::string_view each : {";;&", ";;", ";&", "&&", "||", "|&"})
    if (sign.text.empty() && is_at(each)) sign.text = each;
  if (sign.text.empty()) sign.text = at();
  at_ += sign.text.size();
  if (sign.text == "\n") {
    ++line_;
    read_here_documents();
  }
  return sign;
}

}  // namespace torchpatch::trees
