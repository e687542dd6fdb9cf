// SPDX-License-Identifier: BSD-3-Clause
/// What a command is: a name, words for its help, its options, and what it does.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
#include "support/console.h"

namespace torchpatch::cli {

class OptionSet;

/// What a running command works with.
struct Context {
  std::ostream& out;  ///< written through print() only
  const Environment& environment;
  Console& console;
  std::string command_line;  ///< as typed, for the run report
  bool color = false;        ///< the result may be coloured: --color, NO_COLOR, and what stdout is
};

/// Writes a part of the command's result to stdout. Raises environment where it cannot be written in full; BrokenPipe
/// where nobody reads it any more.
void print(Context& context, std::string_view text);

/// The reader of stdout went away (`torchpatch list issues | head -1`): the run ends quietly, but not as a success.
class BrokenPipe : public std::exception {};

/// Runs a command whose options are parsed; returns kDone or kFindings, raises Error for everything else.
using Action = std::function<int(Context&)>;

/// Whether help, completions and manual pages name a command.
enum class Audience { users, plumbing };

struct Command {
  std::string name;                        ///< "prepare", "patch certify"; "audit sign" may stand beside "audit"
  std::string summary;                     ///< one line, lower case, no period
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

struct ExitCode {
  std::string code;  ///< "2", "128+n"
  std::string meaning;
};

/// Returns all of them: 0, 1, each ErrorKind, signals.
std::vector<ExitCode> exit_codes();

}  // namespace torchpatch::cli
