// SPDX-License-Identifier: BSD-3-Clause
#include "cli/help_text.h"

#include "cli/exit_codes.h"
#include "cli/layout.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

constexpr std::size_t kLineWidth = 80;

std::string options_help(const CommandDescription& command) {
  std::string arguments, options;
  for (const OptionDescription& option : command.options) {
    std::string& list = option.is_argument ? arguments : options;
    const std::string choices = option.is_argument && !option.choices.empty() ? ": " + join(option.choices, ", ") : "";
    list += two_columns(option_heading(option), option.help + choices);
  }
  return (arguments.empty() ? "" : "\nArguments:\n" + arguments) + "\nOptions:\n" + options;
}

}  // namespace

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

}  // namespace torchpatch::cli
