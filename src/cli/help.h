// SPDX-License-Identifier: BSD-3-Clause
/// Lays out text in columns and lines for a terminal of 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::cli {

/// Returns `text` broken at blanks into lines of at most `width` characters; a longer word stands alone.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Returns the paragraphs of `text` (separated by empty lines), each on one line.
std::vector<std::string> paragraphs(std::string_view text);

/// Returns "  left    right" with the right side wrapped in its column; where the left side is too long the right one
/// begins on the next line.
std::string two_columns(std::string_view left, std::string_view right);

// The command line as plain values; help, completions, manual pages and docs/commands.md are made of it.

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

// What --help prints.

std::string program_help(const ProgramDescription& program);
std::string command_help(const CommandDescription& command);

// Manual pages (man(7) macros), made of the description of the command line.

/// Returns the page's file name: "torchpatch-patch-certify.1".
std::string man_page_name(const CommandDescription& command);
/// torchpatch(1).
std::string program_man_page(const ProgramDescription& program);
/// torchpatch-COMMAND(1).
std::string command_man_page(const CommandDescription& command, const std::string& version);

}  // namespace torchpatch::cli
