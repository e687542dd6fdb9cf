// SPDX-License-Identifier: BSD-3-Clause
/// Command: its name, help texts, options and action.
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

/// The environment of a running command.
struct Context {
  std::ostream& out;  ///< written through print() only
  const Environment& environment;
  Console& console;
  std::string command_line;  ///< as typed, for the run report
  bool color = false;        ///< the result may be coloured, by --color, NO_COLOR and the kind of stdout
  bool has_printed = false;  ///< part of the result was written to stdout
};

/// Writes a part of the command's result to stdout. Raises environment if it cannot be written completely; BrokenPipe
/// if the reader is gone.
void print(Context& context, std::string_view text);

/// The reader of stdout is gone (`torchpatch list issues | head -1`): the run ends silently, but not as a success.
class BrokenPipe : public std::exception {};

/// Runs a command whose options are parsed; returns kDone or kFindings, raises Error for everything else.
using Action = std::function<int(Context&)>;

enum class Need { optional, required };

/// The options of one command, declared on a CLI::App; keeps CLI11 out of the command files. Every option takes its
/// value as one word and can be given once, except values() and arguments().
///
/// Targets must live until the command has run. Names are "-o,--output" or "--output". The metavar is the kind of
/// value, which completions use: DIR, FILE, VERSION, BOARD, FIX, …
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(app) {}

  void flag(const std::string& names, bool& target, const std::string& help);
  void value(const std::string& names, std::string& target, const std::string& metavar, const std::string& help,
             Need need = Need::optional);
  /// May be repeated.
  void values(const std::string& names, std::vector<std::string>& target, const std::string& metavar,
              const std::string& help, Need need = Need::optional);
  /// A decimal number from `minimum` to `maximum`.
  void number(const std::string& names, int& target, int maximum, const std::string& help, int minimum = 1);
  /// A number that can also be in the configuration file (Config). Help lists it if `is_listed`.
  void setting(const std::string& name, std::optional<int>& target, const Range& range, const std::string& help,
               bool is_listed);
  /// One of `choices`; an argument is declared by its metavar.
  void choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
              const std::string& help, Need need = Need::optional);

  /// A word that is not an option.
  void argument(const std::string& metavar, std::string& target, const std::string& help, Need need) {
    value(metavar, target, metavar, help, need);
  }
  /// Any number of words that are not options.
  void arguments(const std::string& metavar, std::vector<std::string>& target, const std::string& help);

 private:
  CLI::App& app_;
};

/// Declares and runs a command whose options are a struct with a field per option, a function that declares them, and
/// one that does the work and returns the exit code. Commands that share options share the struct.
template <typename Args, void (Args::*kDeclare)(OptionSet&) = &Args::declare,
          int (Args::*kRun)(Context&) const = &Args::run>
Action declare_args(OptionSet& options) {
  const auto args = std::make_shared<Args>();
  ((*args).*kDeclare)(options);
  return [args](Context& context) { return (std::as_const(*args).*kRun)(context); };
}

/// An option or argument, for help.
struct OptionDescription {
  std::vector<std::string> names;    ///< "-o", "--output"; for an argument its metavar
  std::string metavar;               ///< kind of its value; empty for a flag
  std::vector<std::string> choices;  ///< the only allowed values, if any
  std::string help;
  bool is_argument = false;
  bool is_required = false;
  bool may_repeat = false;
};

struct Command {
  std::string name;  ///< "prepare", "patch certify"; "audit approve" may exist along with "audit"
  /// Declares the options; returns the action to run after parsing.
  Action (*declare)(OptionSet& options) = nullptr;
  // From help.txt.
  std::string group = {};                       ///< "Build"; empty: plumbing, not listed in help and completions
  std::string summary = {};                     ///< one line, lower case, no period
  std::string details = {};                     ///< paragraphs of plain text, separated by empty lines
  std::vector<std::string> examples = {};       ///< command lines
  std::vector<OptionDescription> options = {};  ///< if described: options and arguments in order of declaration
};

// The commands in each file of commands/; command_table() orders and describes them by help.txt.

std::vector<Command> prepare_commands();
std::vector<Command> trees_commands();    ///< verify, diff, export, doctor: on a prepared tree
std::vector<Command> build_commands();    ///< build
std::vector<Command> recipes_commands();  ///< recipe, matrix, wheel: from a prepared tree to wheels
std::vector<Command> catalog_commands();  ///< explain, diagnose, list, show, flags, docs: the catalog's contents
std::vector<Command> proofs_commands();   ///< check, prove, patch certify, results record: verification
std::vector<Command> author_commands();   ///< board new, issue new, patch new, edit, refresh and remove, release remove
std::vector<Command> releases_commands();  ///< outdated, release add, port: upstream releases
std::vector<Command> audit_commands();     ///< audit, audit approve: review and sign-off
std::vector<Command> keep_commands();      ///< mirror, cache: stored objects
std::vector<Command> config_commands();
std::vector<Command> project_commands();   ///< init
std::vector<Command> plumbing_commands();  ///< for scripts, shells and packagers

// Exit codes of the program; their meaning is in help, manual pages and docs/commands.md.

inline constexpr int kDone = 0;
inline constexpr int kFindings = 1;
inline constexpr int kInstallFirst = 8;  ///< wheel check: the wheels work once packages are installed
/// Added to the number of the signal that ended the run.
inline constexpr int kSignalBase = 128;

}  // namespace torchpatch::cli
