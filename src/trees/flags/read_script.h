// SPDX-License-Identifier: BSD-3-Clause
/// read_script(): what a build script sets, in which shell, and which commands would see it. Nothing is run or
/// expanded.
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
  environment,  ///< assignments alone, such as `docker run --env-file` reads
  prose         ///< anything else; read line by line, without an idea of order or shells
};

/// Who sees a value.
enum class Reach {
  assigned,    ///< the shell, or make, alone
  exported,    ///< every later command of the shell
  command,     ///< one command: NAME=VALUE before it
  definition,  ///< -DNAME=VALUE of a cmake
};

/// A place in branches: pairs of an `if`, `case`, loop or function and the number of its branch.
using Branches = std::vector<std::pair<int, int>>;

/// Where a piece of a script stands.
struct ShellPlace {
  int shell = 0;  ///< an index of Script::parents; of definitions their cmake, as a negative number
  Branches branches{};
  std::string component{};      ///< "torch", "vision", "audio", "other", by the directory; or empty: unknown
  bool is_for_release = false;  ///< in a branch that is chosen by a version
};

/// Something that a script does, in the order of its lines.
struct ScriptStep : ShellPlace {
  enum class Kind { set, unset, run } kind = Kind::set;
  std::size_t line = 0;  ///< from 1

  // Of a value that is set:
  std::string name{}, value{};  ///< the name also where it is unset
  Reach reach = Reach::assigned;
  bool is_literal = true;   ///< nothing in the value is expanded
  bool is_default = false;  ///< ARG of a Dockerfile, ?= of make: whoever builds may set another
  bool adds_to_itself = false;
  bool is_for_torch = false;  ///< of a definition: its cmake builds torch, by the words

  // Of a command:
  bool is_build = false;   ///< it builds something, or runs another script
  bool is_source = false;  ///< it reads another script, which sees also what is not exported
};

struct Script {
  ScriptKind kind = ScriptKind::shell;
  std::vector<ScriptStep> steps;
  /// By the number of a shell: the one that it inherits from, or -1. A RUN of a Dockerfile inherits from its stage.
  std::vector<int> parents;
  std::set<std::string> reads;       ///< variables that it expands, also in what is skipped, or its functions' own
  std::set<std::string> exported;    ///< variables that it exports without a value
  std::vector<SkippedPart> skipped;  ///< what was not understood
};

/// Reads a file by its name and its text. Any bytes will do.
Script read_script(const std::string& file, std::string_view text);

// What read_script() is made of: words of a shell, and what reads them.

struct ShellToken {
  enum class Kind { word, sign, document, end } kind = Kind::word;
  std::string text;        ///< of a word without its quotes, with a '$' for each expansion; of a sign: "&&", "\n"
  std::size_t line = 0;    ///< on which it begins
  std::size_t bare = 0;    ///< characters before the first quote or expansion
  bool is_literal = true;  ///< nothing in it is expanded
  std::string name{};      ///< of a word NAME=VALUE or NAME+=VALUE; may have small letters
  std::string value{};     ///< of such a word
  std::set<std::string> reads{};  ///< variables that it expands; NAME of NAME+=VALUE

  bool is_word() const { return kind == Kind::word; }
  bool is_sign(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  /// Whether it is this word without quotes, as reserved words must be.
  bool is_bare(std::string_view word) const { return is_word() && bare == text.size() && text == word; }
};

/// Returns the words and signs of a POSIX or bash script whose first line has the number `line`, and an end; behind a
/// line's end come its here-documents. Redirections, comments and "((…))" are left out. A quote or a parenthesis that
/// is not closed ends the text, with a remark in `script`, which also gets what the text reads.
std::vector<ShellToken> shell_tokens(std::string_view text, std::size_t line, Script& script);

/// What is kept while a file is read.
class ScriptBuilder {
 public:
  Script script;
  std::set<std::string> building_functions;

  /// Returns the number of a new shell.
  int add_shell(int parent);
  /// Returns the number of a new `if`, `case`, loop, function or cmake.
  int add_group() { return ++groups_; }
  void skip(std::size_t line, std::string what) { script.skipped.push_back({line, std::move(what)}); }
  /// Adds a word NAME=VALUE, and the definitions in it where they are for a cmake.
  void set(const ShellPlace& place, const ShellToken& word, Reach reach, bool is_default = false);
  /// Adds NAME=VALUE or NAME:TYPE=VALUE of a cmake.
  void define(const ShellPlace& place, const ShellToken& word, bool is_for_torch);
  /// Reads shell commands; what they export stays in the shell of `place`.
  void read_shell(std::string_view text, std::size_t line, ShellPlace& place);

 private:
  int groups_ = 0, depth_ = 0;
};

/// Returns which component is built in a directory of that name, "other" for none of them, or empty: unknown. A "build"
/// belongs to what was built `before`.
std::string component_of(std::string_view directory, const std::string& before);

}  // namespace torchpatch::trees
