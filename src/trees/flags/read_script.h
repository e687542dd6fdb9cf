// SPDX-License-Identifier: BSD-3-Clause
/// read_script(): the assignments of a build script, the shell of each, and the commands that see them. Nothing is run
/// or expanded.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/flags.h"

namespace torchpatch::trees {

enum class ScriptKind {
  shell,
  dockerfile,
  makefile,
  environment,  ///< only assignments, as in `docker run --env-file`
  prose         ///< anything else; read line by line, ignoring order and shells
};

/// The visibility of a value.
enum class Reach {
  assigned,    ///< the shell, or make, only
  exported,    ///< every later command of the shell
  command,     ///< one command: NAME=VALUE before it
  definition,  ///< -DNAME=VALUE of a cmake
};

/// A position in branches: an `if`, `case`, loop or function, and the number of its branch.
using Branches = std::vector<std::pair<int, int>>;

/// The position of a piece of a script.
struct ShellPlace {
  int shell = 0;  ///< index into Script::parents; for definitions their cmake, as a negative number
  Branches branches{};
  std::string component{};      ///< "torch", "vision", "audio", "other", by directory; or empty: unknown
  bool is_for_release = false;  ///< in a branch selected by a version
};

/// An action of a script, in order of lines.
struct ScriptStep : ShellPlace {
  enum class Kind { set, unset, run } kind = Kind::set;
  std::size_t line = 0;  ///< from 1

  // For assignments:
  std::string name{}, value{};  ///< the name also if unset
  Reach reach = Reach::assigned;
  bool is_literal = true;   ///< the value has no expansions
  bool is_default = false;  ///< ARG of a Dockerfile, ?= of make: the user may set another
  bool adds_to_itself = false;
  bool is_for_torch = false;  ///< definitions: its cmake builds torch, judging by the words

  // For commands:
  bool is_build = false;   ///< builds something, or runs another script
  bool is_source = false;  ///< sources another script, which also sees unexported variables
};

struct Script {
  ScriptKind kind = ScriptKind::shell;
  std::vector<ScriptStep> steps;
  /// By shell number: the shell it inherits from, or -1. A RUN of a Dockerfile inherits from its stage.
  std::vector<int> parents;
  std::set<std::string> reads;       ///< variables expanded, also in skipped parts; and those of its functions
  std::set<std::string> exported;    ///< variables exported without a value
  std::vector<SkippedPart> skipped;  ///< not understood
};

/// Reads a file with any bytes, by its name and text.
Script read_script(const std::string& file, std::string_view text);

// Parts of read_script(): tokens of shells, and their readers.

struct ShellToken {
  enum class Kind { word, sign, document, end } kind = Kind::word;
  std::string text;               ///< word: without quotes, with a '$' per expansion; sign: "&&", "\n"
  std::size_t line = 0;           ///< where it begins
  std::size_t bare = 0;           ///< characters before the first quote or expansion
  bool is_literal = true;         ///< it has no expansions
  std::string name{};             ///< for a word NAME=VALUE or NAME+=VALUE; may have lower case letters
  std::string value{};            ///< of such a word
  std::set<std::string> reads{};  ///< variables it expands; NAME of NAME+=VALUE

  bool is_word() const { return kind == Kind::word; }
  bool is_sign(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  /// Returns whether it is this word unquoted, as required for reserved words.
  bool is_bare(std::string_view word) const { return is_word() && bare == text.size() && text == word; }
};

/// Returns the tokens of a POSIX or bash script whose first line has the number `line`, and an end token;
/// here-documents follow the end of their line. Redirections, comments and "((…))" are left out. An unclosed quote or
/// parenthesis ends the text, with a remark in `script`, where the variables read are also recorded.
std::vector<ShellToken> shell_tokens(std::string_view text, std::size_t line, Script& script);

/// State while a file is read.
class ScriptBuilder {
 public:
  Script script;
  std::set<std::string> building_functions;

  /// Returns the number of a new shell.
  int add_shell(int parent);
  /// Returns the number of a new `if`, `case`, loop, function or cmake.
  int add_group() { return ++groups_; }
  void skip(std::size_t line, std::string what) { script.skipped.push_back({line, std::move(what)}); }
  /// Adds a word NAME=VALUE, and the definitions in it if it is for a cmake.
  void set(const ShellPlace& place, const ShellToken& word, Reach reach, bool is_default = false);
  /// Adds NAME=VALUE or NAME:TYPE=VALUE of a cmake.
  void define(const ShellPlace& place, const ShellToken& word, bool is_for_torch);
  /// Reads shell commands; their exports stay in the shell of `place`.
  void read_shell(std::string_view text, std::size_t line, ShellPlace& place);

 private:
  int groups_ = 0, depth_ = 0;
};

/// Returns the component built in a directory of that name, "other" for none of them, or empty: unknown. A "build"
/// belongs to the component `before`.
std::string component_of(std::string_view directory, const std::string& before);

}  // namespace torchpatch::trees
