// SPDX-License-Identifier: BSD-3-Clause
#include "trees/flags/read_script.h"

#include <algorithm>
#include <optional>

#include "model/release.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

bool ends_prose_word(char c) { return std::string_view(" \t\r;&|()`<>").find(c) != std::string_view::npos; }

/// Takes the next word off a line, without its quotes; nothing at the end, or before a comment.
std::optional<std::string> take_word(std::string_view& line) {
  while (!line.empty() && ends_prose_word(line.front())) line.remove_prefix(1);
  if (line.empty() || line.front() == '#') return std::nullopt;
  std::string word;
  while (!line.empty() && !ends_prose_word(line.front())) {
    const char c = line.front();
    line.remove_prefix(1);
    // Inside a word an apostrophe is one: notes say "don't".
    const bool opens = (c == '"' || c == '\'') && (word.empty() || word.back() == '=');
    if (!opens) {
      word += c;
      continue;
    }
    const std::size_t end = line.find(c);
    word += line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return word;
}

/// Returns NAME and VALUE of NAME=VALUE, -DNAME=VALUE and -DNAME:TYPE=VALUE.
std::optional<Assignment> parse_assignment(std::string_view word) {
  const bool is_definition = word.starts_with("-D");
  if (is_definition) word.remove_prefix(2);
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  std::string_view name = word.substr(0, equals);
  if (is_definition) name = name.substr(0, name.find(':'));
  if (!is_variable_name(name)) return std::nullopt;
  return Assignment{0, std::string(name), std::string(word.substr(equals + 1))};
}

void read_prose_line(std::string_view line, std::size_t number, std::vector<Assignment>& found) {
  std::string_view rest = line;
  bool is_first = true, is_env = false;
  while (const std::optional<std::string> word = take_word(rest)) {
    std::optional<Assignment> assignment = parse_assignment(*word);
    if (!assignment && is_env && is_variable_name(*word)) {
      assignment = Assignment{0, *word, std::string(trim(rest))};
      rest = {};
    }
    if (assignment) {
      assignment->line = number;
      found.push_back(std::move(*assignment));
    }
    is_env = is_first && *word == "ENV";
    is_first = false;
  }
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

/// Whether the first instruction is one of a Dockerfile.
bool begins_as_dockerfile(std::string_view text) {
  for (const std::string& line : split(text.substr(0, 10000), '\n')) {
    const std::string_view words = trim(line);
    if (words.empty() || words.starts_with('#')) continue;
    return words.starts_with("FROM ") || words.starts_with("ARG ");
  }
  return false;
}

ScriptKind kind_of(const std::string& file, std::string_view text) {
  const std::string name = lower_case(base_name(file));
  if (name.starts_with("dockerfile") || name.starts_with("containerfile") || name.ends_with(".dockerfile"))
    return ScriptKind::dockerfile;
  if (is_one_of(name, {"makefile", ".mk"})) return ScriptKind::makefile;
  if (name == ".env" || name.ends_with(".env")) return ScriptKind::environment;
  if (is_one_of(name, {".md", ".rst", ".txt", ".yml", ".yaml", ".json", ".toml", ".py", ".html", ".patch", ".diff"}))
    return ScriptKind::prose;
  return begins_as_dockerfile(text) ? ScriptKind::dockerfile : ScriptKind::shell;
}

void read_prose(std::string_view text, ScriptBuilder& builder) {
  const int shell = builder.add_shell(-1);
  for (Assignment& each : find_assignments(text)) {
    ShellToken value{.kind = ShellToken::Kind::word, .text = each.value, .line = each.line};
    value.is_literal = each.value.find_first_of("$`{<%") == std::string::npos;
    builder.set({.shell = shell}, each.line, each.name, value, Reach::command);
  }
}

}  // namespace

std::string_view take_script_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

ScriptStep ShellPlace::step(ScriptStep::Kind kind, std::size_t line) const {
  ScriptStep step;
  step.kind = kind;
  step.line = line;
  step.shell = shell;
  step.branches = branches;
  step.component = component;
  step.is_for_release = is_for_release;
  return step;
}

int ScriptBuilder::add_shell(int parent) {
  script.parents.push_back(parent);
  return static_cast<int>(script.parents.size()) - 1;
}

void ScriptBuilder::set(const ShellPlace& place, std::size_t line, std::string name, const ShellToken& value,
                        Reach reach) {
  if (!is_variable_name(name)) return;
  ScriptStep step = place.step(ScriptStep::Kind::set, line);
  step.adds_to_itself = value.reads.contains(name);
  step.is_literal = value.is_literal;
  step.value = value.text;
  step.reach = reach;
  const bool has_definitions = name.ends_with("CMAKE_ARGS") || name.ends_with("CMAKE_FLAGS");
  step.name = std::move(name);
  script.steps.push_back(std::move(step));
  if (!has_definitions) return;
  ShellPlace here = place;
  here.shell = -add_group();
  for (const std::string& word : split(value.text, ' ')) {
    std::string text(trim(word));
    std::erase_if(text, [](char c) { return c == '"' || c == '\''; });
    if (!text.starts_with("-D")) continue;
    text.erase(0, 2);
    ShellToken definition{.kind = ShellToken::Kind::word, .text = text, .line = line, .bare = text.size()};
    definition.is_literal = text.find('$') == std::string::npos;
    define(here, definition, true);
  }
}

void ScriptBuilder::define(const ShellPlace& place, const ShellToken& word, bool is_for_torch) {
  const std::size_t equals = word.text.find('=');
  if (equals == std::string::npos) return;
  const std::string name = word.text.substr(0, std::min(equals, word.text.find(':')));
  if (!is_variable_name(name)) return;
  ScriptStep step = place.step(ScriptStep::Kind::set, word.line);
  step.name = name;
  step.value = word.text.substr(equals + 1);
  step.is_literal = word.is_literal;
  step.reach = Reach::definition;
  step.is_for_torch = is_for_torch;
  script.steps.push_back(std::move(step));
}

std::string component_of(std::string_view directory, const std::string& before) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  const std::string name = lower_case(std::string(directory.substr(directory.rfind('/') + 1)));
  const auto begins = [&](std::string_view word) {
    return name.starts_with(word) && (name.size() == word.size() || name[word.size()] == '-');
  };
  if (begins("pytorch") || begins("torch")) return "torch";
  if (begins("vision") || begins("torchvision")) return "vision";
  if (begins("audio") || begins("torchaudio")) return "audio";
  if (name.starts_with("build")) return before;
  const bool is_known = !name.empty() && name.find('$') == std::string::npos && name[0] != '.' && name != "-";
  return is_known ? "other" : "";
}

std::vector<Assignment> find_assignments(std::string_view text) {
  std::vector<Assignment> found;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    read_prose_line(text.substr(0, end), number, found);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return found;
}

Script read_script(const std::string& file, std::string_view text) {
  ScriptBuilder builder;
  builder.script.kind = kind_of(file, text);
  switch (builder.script.kind) {
    case ScriptKind::dockerfile:
      read_dockerfile(text, builder);
      break;
    case ScriptKind::makefile:
      read_makefile(text, builder);
      break;
    case ScriptKind::prose:
      read_prose(text, builder);
      break;
    case ScriptKind::shell:
    case ScriptKind::environment: {
      ShellPlace place{.shell = builder.add_shell(-1)};
      builder.read_shell(text, 1, place);
      const auto is_run = [](const ScriptStep& step) { return step.kind == ScriptStep::Kind::run; };
      if (std::ranges::none_of(builder.script.steps, is_run)) builder.script.kind = ScriptKind::environment;
      if (builder.script.kind != ScriptKind::environment) break;
      for (ScriptStep& step : builder.script.steps)
        if (step.reach == Reach::assigned) step.reach = Reach::exported;
      break;
    }
  }
  builder.script.reads.merge(builder.remarks.reads);
  builder.script.skipped = std::move(builder.remarks.skipped);
  std::ranges::stable_sort(builder.script.skipped, {}, &SkippedPart::line);
  return std::move(builder.script);
}

}  // namespace torchpatch::trees
