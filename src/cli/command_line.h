// SPDX-License-Identifier: BSD-3-Clause
/// Reads a command line with CLI11, one CLI::App a command, and describes the same Apps for help and documentation.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/help.h"

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

}  // namespace torchpatch::cli
