// SPDX-License-Identifier: BSD-3-Clause
/// What a command is: a name, words for its help, its options, and what it does.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
#include "support/console.h"

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

/// Declares and runs a command that is a struct: it has a field for each option, `declare(OptionSet&)`, which names
/// them, and `run(Context&) const`, which does the work and returns the exit code.
template <typename Line>
Action declare_line(OptionSet& options) {
  const auto line = std::make_shared<Line>();
  line->declare(options);
  return [line](Context& context) { return std::as_const(*line).run(context); };
}

/// Whether help, completions and manual pages name a command.
enum class Audience { users, plumbing };

struct Command {
  std::string name;  ///< "prepare", "patch certify"; "audit sign" may stand beside "audit"
  // As commands/help.txt says them.
  std::string summary = {};                ///< one line, lower case, no period
  std::string details = {};                ///< paragraphs of plain text, separated by empty lines
  std::vector<std::string> examples = {};  ///< command lines
  /// Declares the options; what it returns runs once they are parsed.
  Action (*declare)(OptionSet& options) = nullptr;
  Audience audience = Audience::users;
};

// What the program's exit codes mean, for help, manual pages and docs/commands.md.

inline constexpr int kDone = 0;
inline constexpr int kFindings = 1;
/// Added to the number of the signal that ended the run.
inline constexpr int kSignalBase = 128;

}  // namespace torchpatch::cli
