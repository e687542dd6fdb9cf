// SPDX-License-Identifier: BSD-3-Clause
/// The command line as plain values; help, completions, manual pages and docs/commands.md are made of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace torchpatch::cli {

struct OptionDescription {
  std::vector<std::string> names;    ///< "-o", "--output"; of an argument its metavar
  std::string metavar;               ///< kind of its value; empty for a flag
  std::vector<std::string> choices;  ///< where only these are allowed
  std::string help;
  bool is_argument = false;
  bool is_required = false;
  bool may_repeat = false;
};

struct CommandDescription {
  std::string name;  ///< "patch certify"; empty for the program itself
  std::string summary;
  std::string details;
  std::vector<std::string> examples;
  std::vector<OptionDescription> options;  ///< and arguments, in the order of declaration
  bool is_plumbing = false;
};

struct ProgramDescription {
  std::string version;
  CommandDescription program;  ///< global options
  std::vector<CommandDescription> commands;
};

/// Returns "torchpatch prepare [OPTION]... DIR".
std::string synopsis(const CommandDescription& command);
/// Returns "-o, --output DIR".
std::string option_heading(const OptionDescription& option);
/// Returns the arguments, or the options: each by its heading, with its help.
Terms option_terms(const CommandDescription& command, bool are_arguments);
/// Returns the paragraphs of `text` (separated by empty lines), each on one line.
std::vector<std::string> paragraphs(std::string_view text);
/// Returns all exit codes with their meaning: 0, 1, each ErrorKind, signals ("128+n").
Terms exit_code_terms();
/// Returns the variables that torchpatch reads, with their meaning.
Terms variable_terms();
/// Returns the commands that are not plumbing.
std::vector<CommandDescription> user_commands(const ProgramDescription& program);

// What --help prints.

std::vector<Block> program_help(const ProgramDescription& program);
std::vector<Block> command_help(const CommandDescription& command);

// Completion scripts for shells, made of the description of the command line.

std::string bash_completion(const ProgramDescription& program);
std::string zsh_completion(const ProgramDescription& program);
std::string fish_completion(const ProgramDescription& program);

// Manual pages (man(7) macros), made of the description of the command line.

/// Returns the page's file name: "torchpatch-patch-certify.1".
std::string man_page_name(const CommandDescription& command);
/// torchpatch(1).
std::string program_man_page(const ProgramDescription& program);
/// torchpatch-COMMAND(1).
std::string command_man_page(const CommandDescription& command, const std::string& version);

}  // namespace torchpatch::cli
