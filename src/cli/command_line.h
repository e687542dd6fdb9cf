// SPDX-License-Identifier: BSD-3-Clause
/// parse_command_line(): reads a command line with CLI11, one CLI::App for each command. describe_program() describes
/// the same Apps as values, of which help, completions, manual pages and docs/commands.md are made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "document/document.h"

namespace torchpatch::cli {

struct CommandLine {
  const Command* command = nullptr;  ///< null: none was named
  Action action;                     ///< empty where help or the version is asked for
  std::string warning;               ///< the command has another name now
  // Options that every command has.
  bool help = false;
  bool version = false;  ///< only without a command
  bool quiet = false;
  std::string color = "auto";
};

/// Raises usage: unknown command or option (with the nearest names), a value that is missing or not allowed, an option
/// given twice. Words that named a command in an earlier version name the one that does the same now, with a warning:
/// scripts that were written then still call them. `args` without the program's name; the result points into
/// `commands`.
CommandLine parse_command_line(const std::vector<std::string>& args, const std::vector<Command>& commands);

/// Returns the program itself, with the global options, and the commands with theirs, by walking the CLI::App of each.
std::vector<Command> describe_program(const std::vector<Command>& commands);
Command describe_command(const Command& command);

// The commands, in the order in which help lists them.

const std::vector<Command>& command_table();

// `program` is what describe_program() returns: first the program itself, with the global options, then each command.

/// Returns "torchpatch prepare [OPTION]... DIR".
std::string synopsis(const Command& command);
/// Returns "-o, --output DIR".
std::string option_heading(const OptionDescription& option);
/// Returns the arguments, or the options: each by its heading, with its help.
Terms option_terms(const Command& command, bool are_arguments);
/// Returns the paragraphs of `text` (separated by empty lines), each on one line.
std::vector<std::string> paragraphs(std::string_view text);
/// Returns all exit codes with their meaning: 0, 1, each ErrorKind, signals ("128+n").
Terms exit_code_terms();
/// Returns the variables that torchpatch reads, with their meaning.
Terms variable_terms();
/// Returns the commands that are not plumbing.
std::vector<Command> user_commands(const std::vector<Command>& program);
/// Returns these by their groups, each of which has one.
std::vector<std::vector<Command>> command_groups(const std::vector<Command>& program);

// What --help prints.

std::vector<Block> program_help(const std::vector<Command>& program);
std::vector<Block> command_help(const Command& command);

// Completion scripts for shells, made of the description of the command line.

std::string bash_completion(const std::vector<Command>& program);
std::string zsh_completion(const std::vector<Command>& program);
std::string fish_completion(const std::vector<Command>& program);

// Manual pages (man(7) macros), made of the description of the command line.

/// Returns the page's file name: "torchpatch-patch-certify.1".
std::string man_page_name(const Command& command);
/// torchpatch(1).
std::string program_man_page(const std::vector<Command>& program);
/// torchpatch-COMMAND(1).
std::string command_man_page(const Command& command);

}  // namespace torchpatch::cli
