// SPDX-License-Identifier: BSD-3-Clause
#include "command/commands_page.h"

#include "cli/command_line.h"
#include "document/text.h"
#include "support/text.h"

namespace torchpatch::test {
namespace {

/// Escapes what ends a cell of a table or begins markup.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string code_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return "`" + escaped + "`";
}

std::string options_table(const cli::Command& command) {
  std::string table = "| option | |\n|---|---|\n";
  for (const bool are_arguments : {true, false})
    for (const auto& [heading, help] : cli::option_terms(command, are_arguments).rows)
      table += concat("| ", code_cell(heading), " | ", cell(help.front().text), " |\n");
  return table;
}

std::string command_section(const cli::Command& command) {
  std::string text = concat("\n## ", command.name, "\n\n", command.summary, command.group.empty() ? " (plumbing)" : "",
                            "\n\n    ", cli::synopsis(command), "\n");
  for (const std::string& paragraph : cli::paragraphs(command.details))
    text += "\n" + blocks_text({Paragraph{{torchpatch::text(paragraph)}}}, {.width = 120});
  if (!command.examples.empty()) text += concat("\n```sh\n", join(command.examples, "\n"), "\n```\n");
  return text + "\n" + options_table(command);
}

}  // namespace

std::string commands_page(const std::vector<cli::Command>& program) {
  std::string text =
      "# Commands\n\nGenerated from the program's description of its options; a test compares the two "
      "(`TORCHPATCH_ACCEPT=1 tools/test` rewrites it).\n\n"
      "Results go to stdout; progress, warnings and errors go to stderr. With --json an error also goes to stdout, as "
      "JSON.\n";
  for (const std::vector<cli::Command>& group : cli::command_groups(program)) {
    text += concat("\n**", group.front().group, "**\n\n| command | |\n|---|---|\n");
    for (const cli::Command& command : group) {
      std::string anchor = command.name;
      for (char& c : anchor) c = c == ' ' ? '-' : c;
      text += concat("| [", command.name, "](#", anchor, ") | ", cell(command.summary), " |\n");
    }
  }
  text += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n";
  for (const auto& [code, meaning] : cli::exit_code_terms().rows)
    text += concat("| ", code, " | ", cell(meaning.front().text), " |\n");
  text += "\n## Environment\n\n| variable | |\n|---|---|\n";
  for (const auto& [name, meaning] : cli::variable_terms().rows)
    text += concat("| `", name, "` | ", meaning.front().text, " |\n");
  text += "\n## torchpatch\n\n    " + cli::synopsis(program.front()) + "\n\n" + options_table(program.front());
  for (std::size_t i = 1; i < program.size(); ++i) text += command_section(program[i]);
  return text;
}

}  // namespace torchpatch::test
