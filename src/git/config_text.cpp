// SPDX-License-Identifier: BSD-3-Clause
#include "git/config_text.h"

#include <utility>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; }
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_comment(char c) { return c == '#' || c == ';'; }

class ConfigParser {
 public:
  explicit ConfigParser(std::string_view text) : text_(text) {
    if (starts_with(text_, "\xef\xbb\xbf")) position_ = 3;  // git skips a byte order mark as well
  }

  std::vector<ConfigSection> run();

 private:
  static constexpr char kEnd = '\0';

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorKind::unsafe, concat("line ", line_, ": ", reason));
  }
  bool is_at_end() const { return position_ == text_.size(); }
  char peek() const { return is_at_end() ? kEnd : text_[position_]; }
  char take();
  void skip_blanks();
  void skip_line();
  ConfigSection take_section();
  std::string take_subsection();
  ConfigVariable take_variable();
  std::string take_value();
  char take_escape();

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
};

/// Returns the next character; "\r\n" counts as a line's end, as in git.
char ConfigParser::take() {
  if (is_at_end()) return kEnd;
  char c = text_[position_++];
  if (c == '\0') fail("a NUL byte");
  if (c == '\r' && peek() == '\n') c = text_[position_++];
  if (c == '\n') ++line_;
  return c;
}

void ConfigParser::skip_blanks() {
  while (peek() == ' ' || peek() == '\t') take();
}

void ConfigParser::skip_line() {
  while (!is_at_end() && take() != '\n') {
  }
}

std::string ConfigParser::take_subsection() {
  std::string name;
  while (true) {
    if (is_at_end() || peek() == '\n') fail("a section's quote is not closed");
    char c = take();
    if (c == '"') return name;
    if (c == '\\') {
      if (is_at_end() || peek() == '\n') fail("a section's quote is not closed");
      c = take();
    }
    name += c;
  }
}

ConfigSection ConfigParser::take_section() {
  ConfigSection section;
  section.line = line_;
  take();  // the bracket
  while (is_name_character(peek()) || peek() == '.') section.name += to_lower(take());
  if (peek() == ' ' || peek() == '\t') {  // only a subsection may follow
    skip_blanks();
    if (take() != '"') fail("a section that is not closed");
    section.subsection = take_subsection();
  }
  if (section.name.empty() || peek() != ']') fail("a section that is not closed");
  take();
  return section;
}

char ConfigParser::take_escape() {
  switch (take()) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case '\\':
      return '\\';
    case '"':
      return '"';
    default:
      fail("an escape that git does not know");
  }
}

/// Reads to the end of the line: blanks around it are not part of the value, blanks in it are; comments end it; a
/// backslash at the end of a line continues it.
std::string ConfigParser::take_value() {
  std::string value;
  std::string blanks;
  bool is_quoted = false;
  while (!is_at_end()) {
    if (text_[position_] == '\n' && is_quoted) fail("a quote that is not closed");
    const char c = take();
    if (c == '\n') break;
    if (!is_quoted && is_comment(c)) {
      skip_line();
      break;
    }
    if (!is_quoted && (c == ' ' || c == '\t')) {
      if (!value.empty()) blanks += c;
      continue;
    }
    value += std::exchange(blanks, {});
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c != '\\') {
      value += c;
    } else if (peek() == '\n' || text_.substr(position_, 2) == "\r\n") {
      take();
    } else {
      value += take_escape();
    }
  }
  if (is_quoted) fail("a quote that is not closed");
  return value;
}

ConfigVariable ConfigParser::take_variable() {
  ConfigVariable variable;
  variable.line = line_;
  if (!is_letter(peek())) fail("this is neither a section, a variable nor a comment");
  while (is_name_character(peek())) variable.key += to_lower(take());
  skip_blanks();
  if (peek() != '=') fail(concat(quote(variable.key), " has no value"));
  take();
  variable.value = take_value();
  return variable;
}

std::vector<ConfigSection> ConfigParser::run() {
  std::vector<ConfigSection> sections;
  while (!is_at_end()) {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      take();
    } else if (is_comment(c)) {
      skip_line();
    } else if (c == '[') {
      sections.push_back(take_section());
    } else if (sections.empty()) {
      fail("text before the first section");
    } else {
      sections.back().variables.push_back(take_variable());
    }
  }
  return sections;
}

}  // namespace

std::vector<ConfigSection> parse_config_text(std::string_view text) { return ConfigParser(text).run(); }

}  // namespace torchpatch::git
