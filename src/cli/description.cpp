// SPDX-License-Identifier: BSD-3-Clause
#include "cli/description.h"

#include "support/text.h"

namespace torchpatch::cli {
namespace {

std::string argument_synopsis(const OptionDescription& argument) {
  const std::string name = argument.names.front() + (argument.may_repeat ? "..." : "");
  return argument.is_required ? name : "[" + name + "]";
}

}  // namespace

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

}  // namespace torchpatch::cli
