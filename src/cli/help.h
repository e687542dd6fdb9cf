// SPDX-License-Identifier: BSD-3-Clause
/// The command line as plain values; help, completions, manual pages and docs/commands.md are made of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "document/document.h"

namespace torchpatch::cli {

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
