// SPDX-License-Identifier: BSD-3-Clause
/// What a command is: a name, words for its help, its options, and what it does.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/run.h"
#include "support/console.h"
#include "support/fields.h"

namespace CLI {
class App;
}

namespace torchpatch::cli {

/// What a running command works with.
struct Context {
  std::ostream& out;  ///< written through print() only
  const Environment& environment;
  Console& console;
  std::string command_line;  ///< as typed, for the run report
  bool color = false;        ///< the result may be coloured: --color, NO_COLOR, and what stdout is
  bool has_printed = false;  ///< something of the result went to stdout
};

/// Writes a part of the command's result to stdout. Raises environment where it cannot be written in full; BrokenPipe
/// where nobody reads it any more.
void print(Context& context, std::string_view text);

/// The reader of stdout went away (`torchpatch list issues | head -1`): the run ends quietly, but not as a success.
class BrokenPipe : public std::exception {};

/// Runs a command whose options are parsed; returns kDone or kFindings, raises Error for everything else.
using Action = std::function<int(Context&)>;

enum class Need { optional, required };

/// The options of one command, declared on a CLI::App; keeps CLI11 out of the command files. Every option takes its
/// value in one word and can be given once, but for values() and arguments().
///
/// Targets must live until the command has run. Names are "-o,--output" or "--output". The metavar names the kind of
/// value, and completions go by it: DIR, FILE, VERSION, BOARD, FIX, …
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(app) {}

  void flag(const std::string& names, bool& target, const std::string& help);
  void value(const std::string& names, std::string& target, const std::string& metavar, const std::string& help,
             Need need = Need::optional);
  /// May be given more than once.
  void values(const std::string& names, std::vector<std::string>& target, const std::string& metavar,
              const std::string& help, Need need = Need::optional);
  /// A decimal number from `minimum` to `maximum`.
  void number(const std::string& names, int& target, int maximum, const std::string& help, int minimum = 1);
  /// A number that a file may say as well (Config). Help names it where it is listed.
  void setting(const std::string& name, std::optional<int>& target, const Range& range, const std::string& help,
               bool is_listed);
  /// One of `choices`; an argument likewise by its metavar.
  void choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
              const std::string& help, Need need = Need::optional);

  /// A word that is no option.
  void argument(const std::string& metavar, std::string& target, const std::string& help, Need need) {
    value(metavar, target, metavar, help, need);
  }
  /// Any number of words that are no options.
  void arguments(const std::string& metavar, std::vector<std::string>& target, const std::string& help);

 private:
  CLI::App& app_;
};

/// Declares and runs a command whose options are a struct: it has a field for each option, a function that names them,
/// and one that does the work and returns the exit code. Commands that share options share the struct.
template <typename Args, void (Args::*kDeclare)(OptionSet&) = &Args::declare,
          int (Args::*kRun)(Context&) const = &Args::run>
Action declare_args(OptionSet& options) {
  const auto args = std::make_shared<Args>();
  ((*args).*kDeclare)(options);
  return [args](Context& context) { return (std::as_const(*args).*kRun)(context); };
}

/// An option or argument, for help.
struct OptionDescription {
  std::vector<std::string> names;    ///< "-o", "--output"; of an argument its metavar
  std::string metavar;               ///< kind of its value; empty for a flag
  std::vector<std::string> choices;  ///< where only these are allowed
  std::string help;
  bool is_argument = false;
  bool is_required = false;
  bool may_repeat = false;
};

struct Command {
  std::string name;  ///< "prepare", "patch certify"; "audit approve" may stand beside "audit"
  /// Declares the options; what it returns runs once they are parsed.
  Action (*declare)(OptionSet& options) = nullptr;
  // As help.txt says them.
  std::string group = {};                       ///< "Build"; empty: plumbing, which help and completions do not name
  std::string summary = {};                     ///< one line, lower case, no period
  std::string details = {};                     ///< paragraphs of plain text, separated by empty lines
  std::vector<std::string> examples = {};       ///< command lines
  std::vector<OptionDescription> options = {};  ///< once described: options and arguments, as they are declared
};

// The commands of each file of commands/; command_table() orders and describes them by help.txt.

std::vector<Command> prepare_commands();
std::vector<Command> trees_commands();    ///< verify, diff, export, doctor: about a prepared tree
std::vector<Command> build_commands();    ///< build
std::vector<Command> recipes_commands();  ///< recipe, matrix, wheel: from a prepared tree to wheels
std::vector<Command> catalog_commands();  ///< explain, diagnose, list, show, flags, docs: what the catalog says
std::vector<Command> proofs_commands();   ///< check, prove, patch certify, results record: what it promises
std::vector<Command> author_commands();   ///< board new, issue new, patch new, edit, refresh and remove, release remove
std::vector<Command> releases_commands();  ///< outdated, release add, port: what upstream released
std::vector<Command> audit_commands();     ///< audit, audit approve: what a reviewer reads and signs
std::vector<Command> keep_commands();      ///< mirror, cache: where objects are kept
std::vector<Command> config_commands();
std::vector<Command> project_commands();   ///< init
std::vector<Command> plumbing_commands();  ///< for scripts, shells and packagers

// What the program's exit codes mean, for help, manual pages and docs/commands.md.

inline constexpr int kDone = 0;
inline constexpr int kFindings = 1;
inline constexpr int kInstallFirst = 8;  ///< wheel check: the wheels work once packages are installed
/// Added to the number of the signal that ended the run.
inline constexpr int kSignalBase = 128;

}  // namespace torchpatch::cli
