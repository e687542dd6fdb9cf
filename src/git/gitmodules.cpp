// SPDX-License-Identifier: BSD-3-Clause
#include "git/gitmodules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

[[noreturn]] void fail_at(int line, const std::string& reason) {
  throw Error(ErrorKind::unsafe, concat("line ", line, ": ", reason));
}

struct ConfigVariable {
  std::string key;  ///< in lower case
  std::string value;
  int line = 0;
};

struct ConfigSection {
  std::string name;        ///< in lower case: "submodule"
  std::string subsection;  ///< the text in quotes, or empty
  int line = 0;
  std::vector<ConfigVariable> variables;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; }
bool is_comment(char c) { return c == '#' || c == ';'; }

/// The syntax of git's configuration files (https://git-scm.com/docs/git-config#_syntax), without includes.
class ConfigParser {
 public:
  explicit ConfigParser(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) position_ = 3;  // git skips a byte order mark too
  }

  /// Returns the sections in file order, without merging those of the same name.
  std::vector<ConfigSection> run() {
    std::vector<ConfigSection> sections;
    while (!is_at_end()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        take();
      else if (is_comment(c))
        skip_line();
      else if (c == '[')
        sections.push_back(take_section());
      else if (sections.empty())
        fail("text before the first section");
      else
        sections.back().variables.push_back(take_variable());
    }
    return sections;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { fail_at(line_, reason); }
  bool is_at_end() const { return position_ == text_.size(); }
  char peek() const { return is_at_end() ? '\0' : text_[position_]; }

  /// Returns the next character; "\r\n" is a newline, as in git.
  char take() {
    if (is_at_end()) return '\0';
    char c = text_[position_++];
    if (c == '\0') fail("a NUL byte");
    if (c == '\r' && peek() == '\n') c = text_[position_++];
    if (c == '\n') ++line_;
    return c;
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') take();
  }

  void skip_line() {
    while (!is_at_end() && take() != '\n') {
    }
  }

  /// Reads letters, digits, '-' and the character `more`; returns them in lower case.
  std::string take_name(char more) {
    std::string name;
    while (is_name_character(peek()) || peek() == more) name += take();
    return lower_case(name);
  }

  ConfigSection take_section() {
    ConfigSection section;
    section.line = line_;
    take();  // the bracket
    section.name = take_name('.');
    if (peek() == ' ' || peek() == '\t') {  // only a subsection may follow
      skip_blanks();
      if (take() != '"') fail("unclosed section header");
      section.subsection = take_subsection();
    }
    if (section.name.empty() || peek() != ']') fail("unclosed section header");
    take();
    return section;
  }

  std::string take_subsection() {
    std::string name;
    while (true) {
      if (is_at_end() || peek() == '\n') fail("unclosed quote in a section header");
      char c = take();
      if (c == '"') return name;
      if (c == '\\') {
        if (is_at_end() || peek() == '\n') fail("unclosed quote in a section header");
        c = take();
      }
      name += c;
    }
  }

  ConfigVariable take_variable() {
    ConfigVariable variable;
    variable.line = line_;
    if (!is_letter(peek())) fail("this is neither a section, a variable nor a comment");
    variable.key = take_name('-');
    skip_blanks();
    if (peek() != '=') fail(concat(quote(variable.key), " has no value"));
    take();
    variable.value = take_value();
    return variable;
  }

  /// Reads to the end of the line: trims blanks around the value but keeps those inside; a comment ends it; a backslash
  /// at the end of a line continues it.
  std::string take_value() {
    std::string value;
    std::string blanks;
    bool is_quoted = false;
    while (!is_at_end()) {
      if (text_[position_] == '\n' && is_quoted) fail("unclosed quote");
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
      if (c == '"')
        is_quoted = !is_quoted;
      else if (c != '\\')
        value += c;
      else if (peek() == '\n' || text_.substr(position_, 2) == "\r\n")
        take();
      else
        value += take_escape();
    }
    if (is_quoted) fail("unclosed quote");
    return value;
  }

  char take_escape() {
    constexpr std::string_view kNames = "ntb\\\"", kValues = "\n\t\b\\\"";
    const std::size_t place = kNames.find(take());
    if (place == std::string_view::npos) fail("unknown escape sequence");
    return kValues[place];
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
};

bool has_control_byte(std::string_view text) { return std::ranges::any_of(text, is_control); }

/// A name becomes a directory below .git/modules in every clone (CVE-2018-11235).
void check_name(const std::string& name, int line) {
  if (name.empty()) fail_at(line, "a submodule without a name");
  std::string slashed = name;
  std::ranges::replace(slashed, '\\', '/');
  for (const std::string& component : split(slashed, '/'))
    if (component == "..") fail_at(line, concat("the submodule name ", quote(name), " has a component '..'"));
  if (has_control_byte(name)) fail_at(line, concat("the submodule name ", quote(name), " has a control byte"));
}

/// A path with leading '-' is an option to git's commands (CVE-2018-17456); git writes one with trailing CR so that it
/// reads back as another path (CVE-2025-48384).
void check_path(const std::string& path, int line) {
  if (starts_with(path, "-")) fail_at(line, concat("the path ", quote(path), " begins with '-'"));
  if (has_control_byte(path)) fail_at(line, concat("the path ", quote(path), " has a control byte"));
  for (const std::string& component : split(path, '/'))
    if (component.empty() || component == "." || component == "..")
      fail_at(line, concat("the path ", quote(path), " is not a plain relative path"));
}

void check_url(const std::string& url, int line) {
  if (url.empty()) fail_at(line, "an empty url");
  if (starts_with(url, "-")) fail_at(line, "a url that begins with '-'");
  if (has_control_byte(url)) fail_at(line, "a url with a control byte");
}

/// `update = !command` would run the command (CVE-2019-19604).
void check_update(const std::string& update, int line) {
  for (const char* word : {"checkout", "rebase", "merge", "none"})
    if (update == word) return;
  fail_at(line, concat("update = ", quote(update), " is not checkout, rebase, merge or none"));
}

Submodule read_section(const ConfigSection& section) {
  check_name(section.subsection, section.line);
  Submodule submodule{section.subsection, {}, {}, section.line};
  std::set<std::string> keys;
  for (const ConfigVariable& variable : section.variables) {
    if (!keys.insert(variable.key).second) fail_at(variable.line, concat("a second ", quote(variable.key)));
    if (variable.key == "path") {
      check_path(variable.value, variable.line);
      submodule.path = variable.value;
    } else if (variable.key == "url") {
      check_url(variable.value, variable.line);
      submodule.url = variable.value;
    } else if (variable.key == "update") {
      check_update(variable.value, variable.line);
    }
  }
  return submodule;
}

}  // namespace

std::vector<Submodule> parse_gitmodules(std::string_view bytes) {
  std::vector<Submodule> submodules;
  std::set<std::string> names, paths;
  for (const ConfigSection& section : ConfigParser(bytes).run()) {
    if (section.name == "include" || section.name == "includeif") fail_at(section.line, "an include");
    if (starts_with(section.name, "submodule.")) fail_at(section.line, "a section in git's deprecated syntax");
    if (section.name != "submodule") continue;
    Submodule submodule = read_section(section);
    if (!names.insert(submodule.name).second)
      fail_at(submodule.line, concat("a second submodule ", quote(submodule.name)));
    if (submodule.path.empty() || submodule.url.empty()) continue;
    if (!paths.insert(submodule.path).second)
      fail_at(submodule.line, concat("a second submodule at the path ", quote(submodule.path)));
    submodules.push_back(std::move(submodule));
  }
  return submodules;
}

}  // namespace torchpatch::git
