// SPDX-License-Identifier: BSD-3-Clause
#include "trees/flags/read_script.h"

#include <algorithm>
#include <optional>

#include "model/release.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

bool ends_with_one_of(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

/// Removes and returns the first line of a text, without its newline.
std::string_view take_script_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Returns NAME=VALUE as a shell would read it.
ShellToken assignment(std::size_t line, std::string_view name, std::string_view value, std::string_view expands = "$") {
  ShellToken word{.text = {}, .line = line, .name = std::string(name), .value = std::string(value)};
  word.is_literal = value.find_first_of(expands) == std::string_view::npos;
  return word;
}

/// Removes and returns the next word of a line of prose, unquoted; nothing at the end, or before a comment.
std::optional<std::string> take_word(std::string_view& line) {
  constexpr std::string_view kEnds = " \t\r;&|()`<>";
  line.remove_prefix(std::min(line.find_first_not_of(kEnds), line.size()));
  if (line.empty() || line.front() == '#') return std::nullopt;
  std::string word;
  while (!line.empty() && kEnds.find(line.front()) == std::string_view::npos) {
    const char c = line.front();
    line.remove_prefix(1);
    // An apostrophe inside a word is literal: notes contain "don't".
    const bool opens = (c == '"' || c == '\'') && (word.empty() || word.back() == '=');
    const std::size_t end = opens ? std::min(line.find(c), line.size()) : 0;
    word += opens ? line.substr(0, end) : std::string_view(&c, 1);
    line.remove_prefix(opens ? std::min(end + 1, line.size()) : 0);
  }
  return word;
}

/// Reads NAME=VALUE, -DNAME=VALUE and -DNAME:TYPE=VALUE in prose that quotes a script, and ENV NAME VALUE. Text after
/// '#' is skipped. Quotes may contain blanks, and end no later than the line.
void read_prose(std::string_view text, ScriptBuilder& builder) {
  const ShellPlace place{.shell = builder.add_shell(-1)};
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view rest = take_script_line(text);
    bool is_first = true, is_env = false;
    while (const std::optional<std::string> word = take_word(rest)) {
      std::string_view definition = *word;
      const bool is_definition = definition.starts_with("-D");
      if (is_definition) definition.remove_prefix(2);
      const std::size_t equals = std::min(definition.find('='), definition.size());
      const std::string_view name =
          definition.substr(0, is_definition ? std::min(definition.find(':'), equals) : equals);
      const bool is_old_form = is_env && equals == definition.size();
      const std::string_view value =
          is_old_form ? trim(rest) : definition.substr(std::min(equals + 1, definition.size()));
      if (is_old_form || equals < definition.size())
        builder.set(place, assignment(number, name, value, "$`{<%"), Reach::command);
      if (is_old_form && is_variable_name(name)) break;
      is_env = is_first && *word == "ENV";
      is_first = false;
    }
  }
}

class DockerfileReader {
 public:
  explicit DockerfileReader(ScriptBuilder& builder) : builder_(builder) { stage_.shell = builder.add_shell(-1); }

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t line = ++line_;
      const std::string instruction = take_instruction(text);
      const std::string_view words = trim(instruction);
      if (words.empty() || words.starts_with('#')) continue;
      const std::size_t end = std::min(words.find_first_of(" \t\n"), words.size());
      read_instruction(lower_case(std::string(words.substr(0, end))), words.substr(end), line, text);
    }
  }

 private:
  /// Removes and returns an instruction with as many continuation lines as it has. Comments between them are dropped.
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
    if (name == "run" || name == "cmd" || name == "entrypoint") return read_run(trim(rest), line, text);
    if (name == "from") stage_ = {.shell = builder_.add_shell(-1)};
    if (name == "workdir") stage_.component = component_of(trim(rest), stage_.component);
    const std::vector<ShellToken> words = shell_tokens(rest, line, builder_.script);  // of others for what they expand
    const bool is_argument = name == "arg";
    if (name != "env" && !is_argument) return;
    if (!is_argument && words.front().text.find('=') == std::string::npos)  // ENV NAME VALUE
      return builder_.set(stage_,
                          assignment(line, words.front().text, trim(trim(rest).substr(words.front().text.size()))),
                          Reach::exported);
    for (const ShellToken& word : words)
      if (word.is_word()) builder_.set(stage_, word, Reach::exported, is_argument);
  }

  void read_run(std::string_view rest, std::size_t line, std::string_view& text) {
    ShellPlace place = stage_;
    place.shell = builder_.add_shell(stage_.shell);
    while (rest.starts_with("--")) rest = trim(rest.substr(std::min(rest.find_first_of(" \t"), rest.size())));
    if (rest.starts_with("<<")) return read_document(rest, line, place, text);
    std::string commands(rest);
    if (commands.starts_with('['))  // the JSON form: a command's words
      std::ranges::replace_if(
          commands, [](char c) { return c == '[' || c == ']' || c == ','; }, ' ');
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
      document += concat(next, "\n");
    }
    builder_.read_shell(document, line + 1, place);
  }

  ScriptBuilder& builder_;
  ShellPlace stage_;
  std::size_t line_ = 0;
};

/// Converts a make recipe to shell: "$$" to '$', "$(NAME)" to "${NAME}".
std::string shell_of_recipe(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    if (text[at] != '$') continue;
    const std::string_view rest = text.substr(at + 1);
    const std::size_t end = rest.starts_with('(') ? rest.find(')') : std::string_view::npos;
    if (rest.starts_with('$')) {
      ++at;
    } else if (end != std::string_view::npos && is_variable_name(rest.substr(1, end - 1))) {
      out += concat("{", rest.substr(1, end - 1), "}");
      at += end + 1;
    }
  }
  return out;
}

class MakefileReader {
 public:
  explicit MakefileReader(ScriptBuilder& builder) : builder_(builder) { place_.shell = builder.add_shell(-1); }

  void read(std::string_view text) {
    for (std::size_t line = 1; !text.empty();) {
      const std::size_t first = line++;
      std::string words(take_script_line(text));
      for (; words.ends_with('\\') && !text.empty(); ++line) words += concat("\n", take_script_line(text));
      if (in_definition_)
        in_definition_ = trim(words) != "endef";
      else if (words.starts_with('\t') && in_rule_)
        read_recipe(words, first);
      else
        read_line(words, first);
    }
    // `export` without names applies to all variables, wherever it is.
    for (ScriptStep& step : builder_.script.steps)
      if (exports_all_ && step.reach == Reach::assigned && step.shell == place_.shell) step.reach = Reach::exported;
  }

 private:
  void read_recipe(std::string_view text, std::size_t line) {
    text.remove_prefix(std::min(text.find_first_not_of("\t @-+"), text.size()));
    if (!is_one_shell_ || recipe_.shell < 0) {
      recipe_ = place_;
      recipe_.shell = builder_.add_shell(place_.shell);
    }
    builder_.read_shell(shell_of_recipe(text), line, recipe_);
  }

  void read_line(const std::string& text, std::size_t line) {
    const std::string as_shell = shell_of_recipe(text);  // for its expansions
    for (std::size_t at = as_shell.find("${"); at < as_shell.size(); at = as_shell.find("${", at + 1))
      builder_.script.reads.insert(as_shell.substr(at + 2, as_shell.find('}', at) - at - 2));
    const std::string_view words = trim(std::string_view(text).substr(0, text.find('#')));
    const std::string first(words.substr(0, words.find_first_of(" \t(")));
    in_definition_ = first == "define";
    if (in_definition_) return builder_.skip(line, "a 'define' of make");
    if (words.empty() || read_conditional(first)) return;
    if (first == "include" || first == "-include") builder_.skip(line, "an included file");
    bool is_exported = false;
    if (!read_assignment(words, line, is_exported)) read_rule(words, line, is_exported);
  }

  bool read_conditional(const std::string& first) {
    const bool is_inside = !place_.branches.empty();
    if (first == "ifeq" || first == "ifneq" || first == "ifdef" || first == "ifndef")
      place_.branches.emplace_back(builder_.add_group(), 0);
    else if (first == "else" && is_inside)
      ++place_.branches.back().second;
    else if (first == "endif" && is_inside)
      place_.branches.pop_back();
    else
      return false;
    return true;
  }

  /// Reads [export|override] NAME = VALUE, possibly for a target. Sets `is_exported` also for "export" alone.
  bool read_assignment(std::string_view words, std::size_t line, bool& is_exported) {
    take_modifiers(words, is_exported);
    const std::size_t equals = words.find('=');
    if (equals == std::string_view::npos) return false;
    const std::size_t end = std::min(words.find_last_not_of(":?+!", equals - 1) + 1, equals);
    const std::string_view sign = words.substr(end, equals - end);
    std::string_view name = trim(words.substr(0, end));
    if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos) {
      name = trim(name.substr(colon + 1));  // target: export NAME = VALUE
      take_modifiers(name, is_exported);
      if (!is_variable_name(name)) return false;
    }
    in_rule_ = false;
    ShellToken word = assignment(line, name, trim(words.substr(equals + 1)));
    if (sign.find('+') != std::string_view::npos) word.reads.insert(word.name);
    builder_.set(place_, word, is_exported ? Reach::exported : Reach::assigned,
                 sign.find('?') != std::string_view::npos);
    return true;
  }

  static void take_modifiers(std::string_view& words, bool& is_exported) {
    for (const std::string_view each : {"override", "private", "export", "override"}) {
      if (!words.starts_with(each) || (words.size() > each.size() && words[each.size()] != ' ')) continue;
      is_exported |= each == "export";
      words = trim(words.substr(each.size()));
    }
  }

  void read_rule(std::string_view words, std::size_t line, bool is_exported) {
    if (is_exported) {
      words = trim(words.substr(6));
      exports_all_ |= words.empty();
      for (const std::string& name : split(words, ' ')) builder_.script.exported.insert(name);
      return;
    }
    exports_all_ |= words.starts_with(".EXPORT_ALL_VARIABLES");
    is_one_shell_ |= words.starts_with(".ONESHELL");
    if (words.find(':') == std::string_view::npos) return;
    in_rule_ = true;
    recipe_.shell = -1;
    if (const std::size_t recipe = words.find(';'); recipe != std::string_view::npos)
      read_recipe(words.substr(recipe + 1), line);
  }

  ScriptBuilder& builder_;
  ShellPlace place_, recipe_{.shell = -1};
  bool in_rule_ = false, in_definition_ = false, exports_all_ = false, is_one_shell_ = false;
};

/// A file with only assignments is not a script.
void read_commands(std::string_view text, ScriptBuilder& builder) {
  ShellPlace place{.shell = builder.add_shell(-1)};
  builder.read_shell(text, 1, place);
  std::vector<ScriptStep>& steps = builder.script.steps;
  if (std::ranges::count(steps, ScriptStep::Kind::run, &ScriptStep::kind) == 0)
    builder.script.kind = ScriptKind::environment;
  for (ScriptStep& step : steps)
    if (builder.script.kind == ScriptKind::environment && step.reach == Reach::assigned) step.reach = Reach::exported;
}

/// Returns whether the first instruction is one of a Dockerfile.
bool begins_as_dockerfile(std::string_view text) {
  while (!text.empty()) {
    const std::string_view words = trim(take_script_line(text));
    if (!words.empty() && !words.starts_with('#')) return words.starts_with("FROM ") || words.starts_with("ARG ");
  }
  return false;
}

ScriptKind kind_of(const std::string& file, std::string_view text) {
  const std::string name = lower_case(base_name(file));
  if (name.starts_with("dockerfile") || name.starts_with("containerfile") || name.ends_with(".dockerfile"))
    return ScriptKind::dockerfile;
  if (ends_with_one_of(name, {"makefile", ".mk"})) return ScriptKind::makefile;
  if (name.ends_with(".env")) return ScriptKind::environment;
  if (ends_with_one_of(name,
                       {".md", ".rst", ".txt", ".yml", ".yaml", ".json", ".toml", ".py", ".html", ".patch", ".diff"}))
    return ScriptKind::prose;
  return begins_as_dockerfile(text) ? ScriptKind::dockerfile : ScriptKind::shell;
}

}  // namespace

int ScriptBuilder::add_shell(int parent) {
  script.parents.push_back(parent);
  return static_cast<int>(script.parents.size()) - 1;
}

void ScriptBuilder::set(const ShellPlace& place, const ShellToken& word, Reach reach, bool is_default) {
  if (!is_variable_name(word.name)) return;
  const std::size_t first = script.steps.size();
  ScriptStep& step = script.steps.emplace_back(ScriptStep{place});
  step.line = word.line;
  step.name = word.name;
  step.value = word.value;
  step.reach = reach;
  step.is_literal = word.is_literal;
  step.adds_to_itself = word.reads.contains(word.name);
  if (word.name.ends_with("CMAKE_ARGS") || word.name.ends_with("CMAKE_FLAGS")) {
    ShellPlace here = place;
    here.shell = -add_group();
    for (const std::string& part : split(word.value, ' ')) {
      ShellToken definition{.text = std::string(trim(part)), .line = word.line};
      std::erase_if(definition.text, [](char c) { return c == '"' || c == '\''; });
      if (!definition.text.starts_with("-D")) continue;
      definition.text.erase(0, 2);
      definition.is_literal = definition.text.find('$') == std::string::npos;
      define(here, definition, true);
    }
  }
  for (std::size_t i = first; i < script.steps.size(); ++i) script.steps[i].is_default = is_default;
}

void ScriptBuilder::define(const ShellPlace& place, const ShellToken& word, bool is_for_torch) {
  const std::size_t equals = word.text.find('=');
  const std::string name = word.text.substr(0, std::min(equals, word.text.find(':')));
  if (equals == std::string::npos || !is_variable_name(name)) return;
  ScriptStep& step = script.steps.emplace_back(ScriptStep{place});
  step.line = word.line;
  step.name = name;
  step.value = word.text.substr(equals + 1);
  step.is_literal = word.is_literal;
  step.reach = Reach::definition;
  step.is_for_torch = is_for_torch;
}

std::string component_of(std::string_view directory, const std::string& before) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  const std::string name = lower_case(std::string(directory.substr(directory.rfind('/') + 1)));
  const auto begins = [&](std::string_view word) {  // pytorch-src, vision_0.19.1; not torch_xla
    if (!name.starts_with(word)) return false;
    const std::string_view rest = std::string_view(name).substr(word.size());
    return rest.empty() || rest[0] == '-' || (rest.size() > 1 && rest[0] == '_' && rest[1] >= '0' && rest[1] <= '9');
  };
  if (begins("pytorch") || begins("torch")) return "torch";
  if (begins("vision") || begins("torchvision")) return "vision";
  if (begins("audio") || begins("torchaudio")) return "audio";
  if (name.starts_with("build")) return before;
  const bool is_known = !name.empty() && name.find('$') == std::string::npos && name[0] != '.' && name != "-";
  return is_known ? "other" : "";
}

Script read_script(const std::string& file, std::string_view text) {
  ScriptBuilder builder;
  builder.script.kind = kind_of(file, text);
  switch (builder.script.kind) {
    case ScriptKind::dockerfile:
      DockerfileReader(builder).read(text);
      break;
    case ScriptKind::makefile:
      MakefileReader(builder).read(text);
      break;
    case ScriptKind::prose:
      read_prose(text, builder);
      break;
    case ScriptKind::shell:
    case ScriptKind::environment:
      read_commands(text, builder);
      break;
  }
  std::ranges::stable_sort(builder.script.skipped, {}, &SkippedPart::line);
  return std::move(builder.script);
}

}  // namespace torchpatch::trees
