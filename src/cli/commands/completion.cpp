// SPDX-License-Identifier: BSD-3-Clause
#include "cli/completion.h"

#include <memory>

#include "cli/command_line.h"
#include "cli/command_table.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/option_set.h"

namespace torchpatch::cli {
namespace {

std::string completion(const std::string& shell) {
  const ProgramDescription program = describe_program(command_table());
  if (shell == "bash") return bash_completion(program);
  if (shell == "zsh") return zsh_completion(program);
  return fish_completion(program);
}

Action declare(OptionSet& options) {
  const auto shell = std::make_shared<std::string>();
  options.choice_argument("SHELL", *shell, {"bash", "zsh", "fish"}, "the shell", Need::required);
  return [shell](Context& context) {
    print(context, completion(*shell));
    return kDone;
  };
}

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .summary = "print a completion script for a shell",
          .examples = {"torchpatch completion bash > ~/.local/share/bash-completion/completions/torchpatch"},
          .declare = declare,
          .audience = Audience::plumbing};
}

}  // namespace torchpatch::cli
