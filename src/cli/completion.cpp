// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <string_view>

#include "cli/command_line.h"

#include "support/text.h"

namespace torchpatch::cli {

// completion.bash, .fish and .zsh, as embedded by cmake/embed.cmake. bash splits words at ':', which BOARD:IMAGE and
// RELEASE:BOARD contain: they are rejoined, and the part before the last ':' is removed from what is offered.
extern const std::string_view kBashCompletion, kFishCompletion, kZshCompletion;
extern const std::string_view kCompleters;  // completers.tsv: metavar, and its completion in bash, fish and zsh

namespace {

/// Returns `text` in single quotes for fish, where only backslash and quote are special.
std::string fish_quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

/// How each shell completes the value of an option.
struct Completer {
  std::string bash, fish, zsh;
};

/// Returns a bash command that prints words, one per line.
std::string lines_of(const std::string& words) { return concat("printf '%s\\n' ", words); }

/// Chosen by the metavar: VERSION, BOARD and others use `torchpatch list`. The last row is the default.
Completer completer_of(const OptionDescription& option) {
  if (!option.choices.empty()) {
    const std::string choices = join(option.choices, " ");
    return {lines_of(choices), concat(" -x -a ", fish_quote(choices)), concat("(", choices, ")")};
  }
  for (const std::string& row : split(kCompleters, '\n')) {
    const std::vector<std::string> cells = split(row, '\t');
    if (cells.front() == option.metavar || cells.front().empty()) return {cells.at(1), cells.at(2), cells.at(3)};
  }
  return {};
}

/// Returns the kinds of `show`, which are followed by names: "board" and "boards"; empty for other commands.
std::vector<std::pair<std::string, std::string>> named_kinds(const Command& command) {
  std::vector<std::pair<std::string, std::string>> kinds;
  if (command.name != "show") return kinds;
  for (const OptionDescription& option : command.options)
    if (option.is_argument)
      for (const std::string& kind : option.choices) kinds.emplace_back(kind, kind + (kind == "fix" ? "es" : "s"));
  return kinds;
}

/// Returns the two words of "patch certify"; the second is empty for a one-word command.
std::pair<std::string, std::string> words_of_name(const Command& command) {
  const std::size_t space = std::min(command.name.find(' '), command.name.size());
  return {command.name.substr(0, space), command.name.substr(std::min(space + 1, command.name.size()))};
}

/// Returns the words that may follow a command: its options and fixed arguments.
std::string words_of(const Command& command) {
  std::vector<std::string> words;
  for (const OptionDescription& option : command.options)
    if (!option.is_argument)
      words.push_back(option.names.back());
    else
      words.insert(words.end(), option.choices.begin(), option.choices.end());
  return join(words, " ");
}

/// Returns bash commands that list the variable arguments.
std::string listed_arguments(const Command& command) {
  std::string commands;
  for (const OptionDescription& option : command.options) {
    const std::string& kind = option.metavar;
    if (!option.is_argument || kind == "B") continue;  // same as A
    if (kind == "DIR") commands += "; compgen -d -- \"$current\"";
    if (kind == "DIR|ISSUE" || kind == "A" || kind == "PATCHSET") commands += "; " + completer_of(option).bash;
  }
  return commands;
}

std::string words_function(const std::vector<Command>& program) {
  std::map<std::string, std::vector<std::string>> words;  // what may follow each command, or its first word
  std::map<std::string, std::string> arguments;
  std::vector<std::string> names;
  for (const Command& command : user_commands(program)) {
    const auto [first, second] = words_of_name(command);
    if (!words.contains(first)) names.push_back(first);
    if (!second.empty()) words[first].push_back(second);
    words[command.name].push_back(words_of(command));
    arguments[command.name] = listed_arguments(command);
  }
  std::string cases;
  for (const auto& [name, list] : words)
    cases += concat("    '", name, "') ", lines_of(join(list, " ")), arguments[name], " ;;\n");
  const std::string first = lines_of(concat(join(names, " "), " ", words_of(program.front())));
  return concat("_torchpatch_words() {\n  case $1 in\n    '') ", first, " ;;\n", cases, "  esac\n}\n");
}

std::string values_function(const std::vector<Command>& program) {
  std::string cases;
  std::vector<Command> commands = user_commands(program);
  commands.push_back(program.front());
  for (const Command& command : commands) {
    for (const OptionDescription& option : command.options) {
      if (option.is_argument || option.metavar.empty()) continue;
      for (const std::string& name : option.names)
        cases += concat("    '", command.name, " ", name, "') ", completer_of(option).bash, " ;;\n");
    }
    for (const auto& [kind, list] : named_kinds(command))
      cases += concat("    '", command.name, " ", kind, "') _torchpatch_list ", list, " ;;\n");
  }
  return "_torchpatch_values() {\n  case \"$1 $2\" in\n" + cases + "  esac\n}\n";
}

std::string command_function(const std::vector<Command>& program) {
  std::vector<std::string> patterns;
  for (const Command& command : user_commands(program)) patterns.push_back("'" + command.name + "'");
  return concat("_torchpatch_is_command() {\n  case $1 in\n    ", join(patterns, " | "),
                ") return 0 ;;\n  esac\n  return 1\n}\n");
}

/// Returns the condition under which a command's options are offered: those of "audit" do not apply to "audit approve".
std::string condition(const Command& command, const std::vector<Command>& program) {
  if (command.name.empty()) return "__fish_use_subcommand";
  std::vector<std::string> tests;
  for (const std::string& word : split(command.name, ' ')) tests.push_back("__fish_seen_subcommand_from " + word);
  for (const Command& other : user_commands(program)) {
    if (!starts_with(other.name, command.name + " ")) continue;
    tests.push_back("not __fish_seen_subcommand_from " + other.name.substr(command.name.size() + 1));
  }
  return join(tests, "; and ");
}

std::string option_line(const Command& command, const OptionDescription& option, const std::vector<Command>& program) {
  std::string line = concat("complete -c torchpatch -n ", fish_quote(condition(command, program)));
  if (option.is_argument) {
    if (completer_of(option).fish == " -x") return "";
    return line + completer_of(option).fish + " -d " + fish_quote(option.help) + "\n";
  }
  for (const std::string& name : option.names)
    line += starts_with(name, "--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.metavar.empty()) line += completer_of(option).fish;
  return line + " -d " + fish_quote(option.help) + "\n";
}

std::string command_line(const Command& command) {
  const auto [first, second] = words_of_name(command);
  const std::string lines =
      concat("complete -c torchpatch -n __fish_use_subcommand -a ", first, " -d ", fish_quote(command.summary), "\n");
  if (second.empty()) return lines;
  return concat(lines, "complete -c torchpatch -n '__fish_seen_subcommand_from ", first,
                "; and not __fish_seen_subcommand_from ", second, "' -a ", second, " -d ", fish_quote(command.summary),
                "\n");
}

/// Escapes characters that end a field of _arguments, inside single quotes.
std::string escape(const std::string& text) {
  std::string escaped;
  for (const char c : text)
    if (c == '\'')
      escaped += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      escaped += std::string("\\") + c;
    else
      escaped += c;
  return escaped;
}

/// Returns an option's spec for _arguments: '(-o --output)'{-o,--output}'[help]:DIR:_directories'.
std::string option_spec(const OptionDescription& option) {
  const std::string value =
      option.metavar.empty() ? "" : concat(":", escape(option.metavar), ":", escape(completer_of(option).zsh));
  const std::string tail = concat("[", escape(option.help), "]", value, "'");
  if (option.may_repeat) return concat("'*", option.names.back(), tail);
  if (option.names.size() == 1) return concat("'", option.names.back(), tail);
  return concat("'(", join(option.names, " "), ")'{", join(option.names, ","), "}'", tail);
}

std::string argument_spec(const OptionDescription& argument, const Command& command) {
  const bool is_named = !named_kinds(command).empty() && argument.choices.empty();
  return concat("'", argument.may_repeat ? "*" : "", ":", escape(argument.names.front()), ":",
                escape(is_named ? "_torchpatch_shown" : completer_of(argument).zsh), "'");
}

std::string arguments_call(const Command& command, const std::string& indent) {
  std::string call = indent + "_arguments";
  for (const OptionDescription& option : command.options)
    call += " \\\n" + indent + "  " + (option.is_argument ? argument_spec(option, command) : option_spec(option));
  return call + "\n";
}

std::string describe_row(const std::string& word, const std::string& summary) {
  return concat(" '", escape(word), ":", escape(summary), "'");
}

/// Commands by first word, then by second; "" is the one-word command.
using Groups = std::map<std::string, std::map<std::string, Command>>;

std::string group_case(const std::string& first, const std::map<std::string, Command>& commands) {
  const auto alone = commands.find("");
  const std::string own = alone == commands.end() ? "" : arguments_call(alone->second, "      ");
  if (!own.empty() && commands.size() == 1) return concat("    ", first, ")\n", own, "      ;;\n");
  std::string rows, cases;
  for (const auto& [second, command] : commands) {
    if (second.empty()) continue;
    rows += describe_row(second, command.summary);
    cases += concat("        ", second, ")\n          shift words\n          (( CURRENT-- ))\n",
                    arguments_call(command, "          "), "          return\n          ;;\n");
  }
  return concat("    ", first, ")\n      if (( CURRENT == 2 )); then\n        names=(", rows,
                ")\n        _describe command names\n", own.empty() ? "        return\n" : "",
                "      fi\n      case $words[2] in\n", cases, "      esac\n", own, "      ;;\n");
}

}  // namespace

std::string bash_completion(const std::vector<Command>& program) {
  return concat(
      "# bash completion for torchpatch; generated by 'torchpatch completion bash'\n# shellcheck shell=bash\n",
      command_function(program), words_function(program), values_function(program), kBashCompletion);
}

std::string fish_completion(const std::vector<Command>& program) {
  std::string text =
      concat("# fish completion for torchpatch; generated by 'torchpatch completion fish'\ncomplete -c torchpatch -f\n",
             kFishCompletion);
  for (const OptionDescription& option : program.front().options) text += option_line(program.front(), option, program);
  for (const Command& command : user_commands(program)) {
    text += command_line(command);
    for (const OptionDescription& option : command.options) text += option_line(command, option, program);
    for (const auto& [kind, list] : named_kinds(command)) {
      text += concat("complete -c torchpatch -n '__fish_seen_subcommand_from ", command.name,
                     "; and __fish_seen_subcommand_from ", kind, "' -x -a '(__torchpatch_list ", list, ")'\n");
    }
  }
  return text;
}

std::string zsh_completion(const std::vector<Command>& program) {
  Groups groups;
  std::string rows, cases;
  for (const Command& command : user_commands(program)) {
    const auto [first, second] = words_of_name(command);
    groups[first].emplace(second, command);
  }
  for (const auto& [first, commands] : groups) {
    rows += describe_row(first, commands.begin()->second.summary);
    cases += group_case(first, commands);
  }
  return concat("#compdef torchpatch\n# generated by 'torchpatch completion zsh'\n", kZshCompletion,
                "\n_torchpatch() {\n  local -a names\n  if (( CURRENT == 2 )); then\n    names=(", rows,
                ")\n    _describe command names\n", arguments_call(program.front(), "    "),
                "    return\n  fi\n  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n", cases,
                "  esac\n}\n\n_torchpatch \"$@\"\n");
}

}  // namespace torchpatch::cli
