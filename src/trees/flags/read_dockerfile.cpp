// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "model/release.h"
#include "support/text.h"
#include "trees/flags/read_script.h"

namespace torchpatch::trees {

namespace {

class DockerfileReader {
 public:
  explicit DockerfileReader(ScriptBuilder& builder) : builder_(builder) { stage_.shell = builder.add_shell(-1); }

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t line = ++line_;
      std::string instruction = take_instruction(text);
      const std::string_view words = trim(instruction);
      if (words.empty() || words.starts_with('#')) continue;
      const std::size_t end = std::min(words.find_first_of(" \t\n"), words.size());
      read_instruction(lower_case(std::string(words.substr(0, end))), words.substr(end), line, text);
    }
  }

 private:
  /// Takes an instruction with the lines that continue it, as many as they were. Comments between them are left out.
  std::string take_instruction(std::string_view& text) {
    std::string out(take_script_line(text));
    if (trim(out).starts_with('#')) return out;
    while (!text.empty() && trim(out).ends_with('\\')) {
      const std::string_view next = take_script_line(text), words = trim(next);
      ++line_;
      out += '\n';
      out += words.empty() || words.starts_with('#') ? std::string_view("\\") : next;
    }
    return out;
  }

  void read_instruction(const std::string& name, std::string_view rest, std::size_t line, std::string_view& text) {
    if (name == "from") {
      stage_ = {.shell = builder_.add_shell(-1)};
    } else if (name == "env" || name == "arg") {
      read_variables(name == "arg", rest, line);
    } else if (name == "workdir") {
      stage_.component = component_of(trim(rest), stage_.component);
    } else if (name == "run") {
      read_run(rest, line, text);
    } else {
      ShellWords words(rest, line, builder_.remarks);  // for what it expands
      while (words.peek().kind != ShellToken::Kind::end) words.take();
    }
  }

  void read_variables(bool is_argument, std::string_view rest, std::size_t line) {
    ShellWords words(rest, line, builder_.remarks);
    const std::string first = words.peek().is_word() ? words.peek().text : "";
    if (!is_argument && first.find('=') == std::string::npos) return read_old_form(first, rest, line);
    while (words.peek().is_word()) {
      const ShellToken word = words.take();
      ShellToken value;
      bool is_added = false;
      const std::string name = take_assignment(word, value, is_added);
      const std::size_t before = builder_.script.steps.size();
      if (!name.empty()) builder_.set(stage_, word.line, name, value, Reach::exported);
      for (std::size_t i = before; i < builder_.script.steps.size(); ++i)
        builder_.script.steps[i].is_default = is_argument;
    }
  }

  /// ENV NAME VALUE
  void read_old_form(const std::string& name, std::string_view rest, std::size_t line) {
    const std::string_view text = trim(trim(rest).substr(name.size()));
    ShellWords words(text, line, builder_.remarks);
    ShellToken value = words.peek();
    while (words.peek().kind != ShellToken::Kind::end) value.reads.merge(words.take().reads);
    value.text = text;
    value.is_literal = text.find('$') == std::string_view::npos;
    builder_.set(stage_, line, name, value, Reach::exported);
  }

  void read_run(std::string_view rest, std::size_t line, std::string_view& text) {
    ShellPlace place = stage_;
    place.shell = builder_.add_shell(stage_.shell);
    rest = trim(rest);
    while (rest.starts_with("--")) rest = trim(rest.substr(std::min(rest.find_first_of(" \t"), rest.size())));
    if (rest.starts_with("<<")) return read_document(rest, line, place, text);
    std::string commands(rest);
    if (commands.starts_with('[')) {  // the form of JSON: a command's words
      for (char& c : commands)
        if (c == '[' || c == ']' || c == ',') c = ' ';
    }
    // "-c" of the list's first words is a shell's, too.
    builder_.read_shell(commands, line, place);
  }

  /// RUN <<EOF: the lines up to EOF.
  void read_document(std::string_view head, std::size_t line, ShellPlace& place, std::string_view& text) {
    std::string end(trim(head.substr(2, head.find('\n') - 2)));
    std::erase_if(end, [](char c) { return c == '"' || c == '\'' || c == '-'; });
    std::string document;
    while (!text.empty()) {
      const std::string_view next = take_script_line(text);
      ++line_;
      if (trim(next) == end) break;
      document += next;
      document += '\n';
    }
    builder_.read_shell(document, line + 1, place);
  }

  ScriptBuilder& builder_;
  ShellPlace stage_;
  std::size_t line_ = 0;
};

}  // namespace

void read_dockerfile(std::string_view text, ScriptBuilder& builder) { DockerfileReader(builder).read(text); }

}  // namespace torchpatch::trees
