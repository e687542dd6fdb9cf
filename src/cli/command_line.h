// SPDX-License-Identifier: BSD-3-Clause
/// parse_command_line(): parses a command line with CLI11, one CLI::App per command. describe_program() returns the
/// same Apps as values, the source of help, completions, manual pages and docs/commands.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "document/document.h"

namespace torchpatch::cli {

struct CommandLine {
  const Command* command = nullptr;  ///< null: none
  Action action;                     ///< empty for help and version
  std::string warning;               ///< if the command was renamed
  // Options of every command.
  bool help = false;
  bool version = false;  ///< only without a command
  bool quiet = false;
  std::string color = "auto";
};

/// Raises usage: unknown command or option (with the nearest names), a value that is missing or not allowed, a repeated
/// option. Former names of commands still work, with a warning, since scripts may use them. `args` excludes the
/// program's name; the result points into `commands`.
CommandLine parse_command_line(const std::vector<std::string>& args, const std::vector<Command>& commands);

/// Returns the program with its global options, then the commands with theirs, read from the CLI::App of each.
std::vector<Command> describe_program(const std::vector<Command>& commands);
Command describe_command(const Command& command);

// The commands, in the order of help.

const std::vector<Command>& command_table();

// `program` is the result of describe_program(): the program itself with the global options, then each command.

/// Returns "torchpatch prepare [OPTION]... DIR".
std::string synopsis(const Command& command);
/// Returns "-o, --output DIR".
std::string option_heading(const OptionDescription& option);
/// Returns the arguments, or the options, with their help.
Terms option_terms(const Command& command, bool are_arguments);
/// Returns the paragraphs of `text` (separated by empty lines), each as one line.
std::vector<std::string> paragraphs(std::string_view text);
/// Returns all exit codes with their meaning: 0, 1, each ErrorKind, signals ("128+n").
Terms exit_code_terms();
/// Returns the variables that torchpatch reads, with their meaning.
Terms variable_terms();
/// Returns the commands that are not plumbing.
std::vector<Command> user_commands(const std::vector<Command>& program);
/// Returns the commands by group; each has one.
std::vector<std::vector<Command>> command_groups(const std::vector<Command>& program);

// The output of --help.

std::vector<Block> program_help(const std::vector<Command>& program);
std::vector<Block> command_help(const Command& command);

// Completion scripts for shells, generated from the description of the command line.

std::string bash_completion(const std::vector<Command>& program);
std::string zsh_completion(const std::vector<Command>& program);
std::string fish_completion(const std::vector<Command>& program);

// Manual pages (man(7) macros), generated from the description of the command line.

/// Returns the page's file name: "torchpatch-patch-certify.1".
std::string man_page_name(const Command& command);
/// torchpatch(1).
std::string program_man_page(const std::vector<Command>& program);
/// torchpatch-COMMAND(1).
std::string command_man_page(const Command& command);

}  // namespace torchpatch::cli
