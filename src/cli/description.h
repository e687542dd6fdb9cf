// SPDX-License-Identifier: BSD-3-Clause
/// The command line as plain values; help, completions, manual pages and docs/commands.md are made of it.
#pragma once

#include <string>
#include <vector>

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
/// Returns the commands that are not plumbing.
std::vector<CommandDescription> user_commands(const ProgramDescription& program);

}  // namespace torchpatch::cli
