// SPDX-License-Identifier: BSD-3-Clause
/// read_script(): what a build script sets, in which shell, and which commands would see it. Nothing is run.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trees/flags/shell_words.h"

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

/// Something that a script does, in the order of its lines.
struct ScriptStep {
  enum class Kind { set, unset, run } kind = Kind::set;
  std::size_t line = 0;  ///< from 1
  int shell = 0;         ///< an index of Script::parents; of definitions their cmake, as a negative number
  Branches branches{};
  std::string component{};  ///< "torch", "vision", "audio", "other", by the directory; or empty: unknown

  // Of a value that is set:
  std::string name{}, value{};  ///< the name also where it is unset
  Reach reach = Reach::assigned;
  bool is_literal = true;   ///< nothing in the value is expanded
  bool is_default = false;  ///< ARG of a Dockerfile, ?= of make: whoever builds may set another
  bool adds_to_itself = false;
  bool is_for_release = false;  ///< in a branch that is chosen by a version
  bool is_for_torch = false;    ///< of a definition: its cmake builds torch, by the words

  // Of a command:
  bool is_build = false;   ///< it builds something, or runs another script
  bool is_source = false;  ///< it reads another script, which sees also what is not exported
};

struct Script {
  ScriptKind kind = ScriptKind::shell;
  std::vector<ScriptStep> steps;
  /// By the number of a shell: the one that it inherits from, or -1. A RUN of a Dockerfile inherits from its stage.
  std::vector<int> parents;
  std::set<std::string> reads;       ///< variables that it expands itself, or that are its functions' own
  std::set<std::string> exported;    ///< variables that it exports without a value
  std::vector<SkippedPart> skipped;  ///< what was not understood
};

/// Reads a file by its name and its text. Any bytes will do.
Script read_script(const std::string& file, std::string_view text);

/// NAME=VALUE in a script.
struct Assignment {
  std::size_t line = 0;  ///< from 1
  std::string name, value;

  bool operator==(const Assignment&) const = default;
};

/// Returns the assignments of prose that quotes a script: words NAME=VALUE, -DNAME=VALUE, -DNAME:TYPE=VALUE, and
/// ENV NAME VALUE. What stands behind '#' is passed over. Quotes may hold blanks, and end with the line at the latest.
std::vector<Assignment> find_assignments(std::string_view text);

// The readers that read_script() has for its kinds.

/// Where a piece of shell stands.
struct ShellPlace {
  int shell = 0;
  Branches branches{};
  std::string component{};
  bool is_for_release = false;

  ScriptStep step(ScriptStep::Kind kind, std::size_t line) const;
};

/// What is kept while a file is read.
class ScriptBuilder {
 public:
  Script script;
  ScriptRemarks remarks;
  std::set<std::string> building_functions;

  /// Returns the number of a new shell.
  int add_shell(int parent);
  /// Returns the number of a new `if`, `case`, loop, function or cmake.
  int add_group() { return ++groups_; }
  void set(const ShellPlace& place, std::size_t line, std::string name, const ShellToken& value, Reach reach);
  /// Adds NAME=VALUE or NAME:TYPE=VALUE of a cmake.
  void define(const ShellPlace& place, const ShellToken& word, bool is_for_torch);
  /// Reads shell commands; what they export stays in the shell of `place`.
  void read_shell(std::string_view text, std::size_t line, ShellPlace& place);

 private:
  int groups_ = 0;
};

void read_dockerfile(std::string_view text, ScriptBuilder& builder);
void read_makefile(std::string_view text, ScriptBuilder& builder);

/// Returns NAME of a word NAME=VALUE or NAME+=VALUE whose name has no quotes; sets `value` to the rest, and `is_added`
/// for "+=". Else empty. The name may have small letters.
std::string take_assignment(const ShellToken& word, ShellToken& value, bool& is_added);

/// Takes a line off a text, without its end.
std::string_view take_script_line(std::string_view& text);

/// Returns which component is built in a directory of that name, "other" for none of them, or empty: unknown. A "build"
/// belongs to what was built `before`.
std::string component_of(std::string_view directory, const std::string& before);

}  // namespace torchpatch::trees
