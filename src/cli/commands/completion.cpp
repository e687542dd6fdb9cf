// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/option_set.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

std::string completion(const std::string& shell) {
  const ProgramDescription program = describe_program(command_table());
  if (shell == "bash") return bash_completion(program);
  if (shell == "zsh") return zsh_completion(program);
  return fish_completion(program);
}

Action declare_completion(OptionSet& options) {
  const auto shell = std::make_shared<std::string>();
  options.choice_argument("SHELL", *shell, {"bash", "zsh", "fish"}, "the shell", Need::required);
  return [shell](Context& context) {
    print(context, completion(*shell));
    return kDone;
  };
}

struct ManLine {
  std::vector<std::string> words;
  std::string directory;
};

void write_pages(const ProgramDescription& program, const std::string& directory) {
  make_directories(directory);
  write_file_atomically(directory + "/" + man_page_name(program.program), program_man_page(program));
  for (const CommandDescription& command : user_commands(program)) {
    write_file_atomically(directory + "/" + man_page_name(command), command_man_page(command, program.version));
  }
}

std::string page(const ProgramDescription& program, const std::string& name) {
  if (name.empty()) return program_man_page(program);
  std::vector<std::string> names;
  for (const CommandDescription& command : program.commands) {
    if (command.name == name) return command_man_page(command, program.version);
    names.push_back(command.name);
  }
  throw Error(ErrorKind::usage, concat("unknown command ", quote(name)), did_you_mean(name, names));
}

int man(const ManLine& line, Context& context) {
  const ProgramDescription program = describe_program(command_table());
  if (line.directory.empty())
    print(context, page(program, join(line.words, " ")));
  else
    write_pages(program, line.directory);
  return kDone;
}

Action declare_man(OptionSet& options) {
  const auto line = std::make_shared<ManLine>();
  options.arguments("COMMAND", line->words, "the command; default: the program");
  options.value("--directory", line->directory, "DIR", "write the pages of the program and all commands into DIR");
  return [line](Context& context) { return man(*line, context); };
}

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .summary = "print a completion script for a shell",
          .examples = {"torchpatch completion bash > ~/.local/share/bash-completion/completions/torchpatch"},
          .declare = declare_completion,
          .audience = Audience::plumbing};
}

Command man_command() {
  return {.name = "man",
          .summary = "print a manual page",
          .examples = {"torchpatch man prepare | man -l -"},
          .declare = declare_man,
          .audience = Audience::plumbing};
}

}  // namespace torchpatch::cli
