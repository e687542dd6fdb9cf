// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command_line.h"

#include <algorithm>

#include "document/text.h"
#include "support/error.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::cli {

extern const std::string_view kHelp;  // help.txt, as embedded by cmake/embed.cmake

namespace {

Paragraph prose(std::string words) { return {{text(std::move(words))}}; }

/// Returns the terms in the lines of help.txt with this prefix.
Terms terms_of(std::string_view begin) {
  Terms terms;
  for (const std::string& line : split(kHelp, '\n')) {
    const std::size_t colon = line.find(": ");
    if (starts_with(line, begin))
      terms.rows.emplace_back(line.substr(begin.size(), colon - begin.size()), Line{text(line.substr(colon + 2))});
  }
  return terms;
}

std::string page_title(const Command& command) {
  std::string title = command.name.empty() ? "torchpatch" : "torchpatch-" + command.name;
  std::replace(title.begin(), title.end(), ' ', '-');
  return title;
}

std::string section(const std::string& name, const std::string& body) {
  return body.empty() ? "" : concat(".SH ", name, "\n", body);
}

std::string items(const Terms& terms) {
  std::string list;
  for (const auto& [heading, said] : terms.rows)
    list += concat(".TP\n.B ", roff_text(heading), "\n", roff_text(said.front().text), "\n");
  return list;
}

Terms command_terms(const std::vector<Command>& commands) {
  Terms terms;
  for (const Command& command : commands) terms.rows.emplace_back(command.name, Line{text(command.summary)});
  return terms;
}

std::string header(const Command& command) {
  std::string title = page_title(command);
  std::string name = roff_text(title);
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return concat(".TH ", title, " 1 \"\" \"torchpatch ", kToolVersion, "\" \"User Commands\"\n",
                section("NAME", concat(name, " \\- ", roff_text(command.summary), "\n")),
                section("SYNOPSIS", concat(".B ", roff_text(synopsis(command)), "\n")));
}

std::string description(const Command& command) {
  std::string body;
  for (const std::string& paragraph : paragraphs(command.details)) body += ".PP\n" + roff_text(paragraph) + "\n";
  return section("DESCRIPTION", body);
}

std::string options(const Command& command) {
  return section("ARGUMENTS", items(option_terms(command, true))) +
         section("OPTIONS", items(option_terms(command, false)));
}

std::string examples(const Command& command) {
  std::string body;
  for (const std::string& example : command.examples) body += ".nf\n" + roff_text(example) + "\n.fi\n";
  return section("EXAMPLES", body);
}

std::string exit_status() { return section("EXIT STATUS", items(exit_code_terms())); }

}  // namespace

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

std::string synopsis(const Command& command) {
  std::string text = "torchpatch";
  if (!command.name.empty()) text += " " + command.name;
  std::string arguments;
  for (const OptionDescription& option : command.options)
    if (const std::string name = option.names.front() + (option.may_repeat ? "..." : ""); option.is_argument)
      arguments += option.is_required ? " " + name : " [" + name + "]";
    else if (option.is_required)
      text += concat(" ", option.names.back(), " ", option.metavar);
  return concat(text, " [OPTION]...", command.name.empty() ? " COMMAND" : arguments);
}

std::string option_heading(const OptionDescription& option) {
  if (option.is_argument) return option.names.front();
  return join(option.names, ", ") + (option.metavar.empty() ? "" : " " + option.metavar);
}

std::vector<Command> user_commands(const std::vector<Command>& program) {
  std::vector<Command> shown;
  for (const Command& command : program)
    if (!command.group.empty()) shown.push_back(command);
  return shown;
}

std::vector<std::vector<Command>> command_groups(const std::vector<Command>& program) {
  std::vector<std::vector<Command>> groups;
  for (const Command& command : user_commands(program)) {
    if (groups.empty() || groups.back().front().group != command.group) groups.emplace_back();
    groups.back().push_back(command);
  }
  return groups;
}

Terms option_terms(const Command& command, bool are_arguments) {
  Terms terms;
  for (const OptionDescription& option : command.options) {
    if (option.is_argument != are_arguments) continue;
    const std::string choices = are_arguments && !option.choices.empty() ? ": " + join(option.choices, ", ") : "";
    terms.rows.emplace_back(option_heading(option), Line{text(option.help + choices)});
  }
  return terms;
}

Terms exit_code_terms() { return terms_of("%exit "); }

Terms variable_terms() { return terms_of("%variable "); }

std::vector<Block> program_help(const std::vector<Command>& program) {
  std::vector<Block> help = {prose(concat("torchpatch ", kToolVersion, ": ", program.front().summary)),
                             prose("Usage: " + synopsis(program.front()))};
  for (const std::vector<Command>& group : command_groups(program))
    add_section(help, group.front().group + ":", {command_terms(group)});
  add_section(help, "Options:", {option_terms(program.front(), false)});
  add_section(help, "Exit codes:", {exit_code_terms()});
  help.push_back(prose("See 'torchpatch COMMAND --help' for each command."));
  return help;
}

std::vector<Block> command_help(const Command& command) {
  std::vector<Block> help = {prose(concat("torchpatch ", command.name, ": ", command.summary)),
                             prose("Usage: " + synopsis(command))};
  for (const std::string& paragraph : paragraphs(command.details)) help.push_back(prose(paragraph));
  if (!command.examples.empty()) add_section(help, "Examples:", {Literal{join(command.examples, "\n")}});
  add_section(help, "Arguments:", {option_terms(command, true)});
  add_section(help, "Options:", {option_terms(command, false)});
  return help;
}

std::string man_page_name(const Command& command) { return page_title(command) + ".1"; }

std::string program_man_page(const std::vector<Command>& program) {
  std::string see_also, commands;
  for (const std::vector<Command>& group : command_groups(program))
    commands += concat(".SS ", group.front().group, "\n", items(command_terms(group)));
  for (const Command& command : user_commands(program))
    see_also += concat(".BR ", roff_text(page_title(command)), " (1)\n");
  return header(program.front()) + description(program.front()) + section("COMMANDS", commands) +
         options(program.front()) + exit_status() + section("ENVIRONMENT", items(variable_terms())) +
         section("SEE ALSO", see_also);
}

std::string command_man_page(const Command& command) {
  return header(command) + description(command) + options(command) + examples(command) + exit_status() +
         section("SEE ALSO", ".BR torchpatch (1)\n");
}

}  // namespace torchpatch::cli
