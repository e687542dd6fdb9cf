// SPDX-License-Identifier: BSD-3-Clause
#include "cli/man_page.h"

#include <algorithm>

#include "cli/environment.h"
#include "cli/exit_codes.h"
#include "cli/layout.h"
#include "emit/format/roff_text.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

using emit::roff_text;

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
