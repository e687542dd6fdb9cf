// SPDX-License-Identifier: BSD-3-Clause
#include "cli/help.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/environment.h"
#include "document/man.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

constexpr std::size_t kLineWidth = 80;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kRightColumn = 28;

std::string argument_synopsis(const OptionDescription& argument) {
  const std::string name = argument.names.front() + (argument.may_repeat ? "..." : "");
  return argument.is_required ? name : "[" + name + "]";
}


std::string options_help(const CommandDescription& command) {
  std::string arguments, options;
  for (const OptionDescription& option : command.options) {
    std::string& list = option.is_argument ? arguments : options;
    const std::string choices = option.is_argument && !option.choices.empty() ? ": " + join(option.choices, ", ") : "";
    list += two_columns(option_heading(option), option.help + choices);
  }
  return (arguments.empty() ? "" : "\nArguments:\n" + arguments) + "\nOptions:\n" + options;
}

std::string page_title(const CommandDescription& command) {
  std::string title = command.name.empty() ? "torchpatch" : "torchpatch-" + command.name;
  std::replace(title.begin(), title.end(), ' ', '-');
  return title;
}

std::string section(const std::string& name, const std::string& body) {
  return body.empty() ? "" : concat(".SH ", name, "\n", body);
}

std::string item(const std::string& heading, const std::string& text) {
  return concat(".TP\n.B ", roff_text(heading), "\n", roff_text(text), "\n");
}

std::string header(const CommandDescription& command, const std::string& version) {
  std::string title = page_title(command);
  std::string name = roff_text(title);
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return concat(".TH ", title, " 1 \"\" \"torchpatch ", version, "\" \"User Commands\"\n",
                section("NAME", concat(name, " \\- ", roff_text(command.summary), "\n")),
                section("SYNOPSIS", concat(".B ", roff_text(synopsis(command)), "\n")));
}

std::string description(const CommandDescription& command) {
  std::string body;
  for (const std::string& paragraph : paragraphs(command.details)) body += ".PP\n" + roff_text(paragraph) + "\n";
  return section("DESCRIPTION", body);
}

std::string options(const CommandDescription& command) {
  std::string arguments, body;
  for (const OptionDescription& option : command.options) {
    const std::string choices = option.is_argument && !option.choices.empty() ? ": " + join(option.choices, ", ") : "";
    (option.is_argument ? arguments : body) += item(option_heading(option), option.help + choices);
  }
  return section("ARGUMENTS", arguments) + section("OPTIONS", body);
}

std::string examples(const CommandDescription& command) {
  std::string body;
  for (const std::string& example : command.examples) body += ".nf\n" + roff_text(example) + "\n.fi\n";
  return section("EXAMPLES", body);
}

std::string exit_status() {
  std::string body;
  for (const ExitCode& code : exit_codes()) body += item(code.code, code.meaning);
  return section("EXIT STATUS", body);
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : split(text, ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(line);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  lines.push_back(line);
  return lines;
}

std::vector<std::string> paragraphs(std::string_view text) {
  std::vector<std::string> result;
  std::string current;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) {
      if (!current.empty()) result.push_back(current);
      current.clear();
    } else {
      current += (current.empty() ? "" : " ") + line;
    }
  }
  if (!current.empty()) result.push_back(current);
  return result;
}

std::string two_columns(std::string_view left, std::string_view right) {
  std::string text = std::string(kIndent, ' ') + std::string(left);
  if (text.size() + 2 > kRightColumn)
    text += '\n' + std::string(kRightColumn, ' ');
  else
    text += std::string(kRightColumn - text.size(), ' ');
  const std::vector<std::string> lines = wrap(right, kLineWidth - kRightColumn);
  return text + join(lines, "\n" + std::string(kRightColumn, ' ')) + "\n";
}

std::string synopsis(const CommandDescription& command) {
  std::string text = "torchpatch";
  if (!command.name.empty()) text += " " + command.name;
  std::string arguments;
  for (const OptionDescription& option : command.options) {
    if (option.is_argument) {
      arguments += " " + argument_synopsis(option);
    } else if (option.is_required) {
      text += concat(" ", option.names.back(), " ", option.metavar);
    }
  }
  return concat(text, " [OPTION]...", command.name.empty() ? " COMMAND" : arguments);
}

std::string option_heading(const OptionDescription& option) {
  if (option.is_argument) return option.names.front();
  return join(option.names, ", ") + (option.metavar.empty() ? "" : " " + option.metavar);
}

std::vector<CommandDescription> user_commands(const ProgramDescription& program) {
  std::vector<CommandDescription> shown;
  for (const CommandDescription& command : program.commands) {
    if (!command.is_plumbing) shown.push_back(command);
  }
  return shown;
}

std::string program_help(const ProgramDescription& program) {
  std::string text = concat("torchpatch ", program.version, ": ", program.program.summary,
                            "\n\nUsage: ", synopsis(program.program), "\n\nCommands:\n");
  for (const CommandDescription& command : user_commands(program)) text += two_columns(command.name, command.summary);
  text += options_help(program.program) + "\nExit codes:\n";
  for (const ExitCode& code : exit_codes()) text += two_columns(code.code, code.meaning);
  return text + "\n'torchpatch COMMAND --help' tells more.\n";
}

std::string command_help(const CommandDescription& command) {
  std::string text = concat("torchpatch ", command.name, ": ", command.summary, "\n\nUsage: ", synopsis(command), "\n");
  for (const std::string& paragraph : paragraphs(command.details)) {
    text += "\n" + join(wrap(paragraph, kLineWidth), "\n") + "\n";
  }
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const std::string& example : command.examples) text += "  " + example + "\n";
  return text + options_help(command);
}

std::string man_page_name(const CommandDescription& command) { return page_title(command) + ".1"; }

std::string program_man_page(const ProgramDescription& program) {
  std::string commands, variables, see_also;
  for (const CommandDescription& command : user_commands(program)) {
    commands += item(command.name, command.summary);
    see_also += concat(".BR ", roff_text(page_title(command)), " (1)\n");
  }
  for (const auto& [name, meaning] : documented_variables()) variables += item(name, meaning);
  return header(program.program, program.version) + description(program.program) + section("COMMANDS", commands) +
         options(program.program) + exit_status() + section("ENVIRONMENT", variables) + section("SEE ALSO", see_also);
}

std::string command_man_page(const CommandDescription& command, const std::string& version) {
  return header(command, version) + description(command) + options(command) + examples(command) + exit_status() +
         section("SEE ALSO", ".BR torchpatch (1)\n");
}

}  // namespace torchpatch::cli
