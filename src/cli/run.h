// SPDX-License-Identifier: BSD-3-Clause
/// run(): runs one command line; Environment: the process's environment.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace torchpatch::cli {

/// What the program reads from its process; read once in main, then passed as a value.
struct Environment {
  std::map<std::string, std::string> variables;
  std::string executable;   ///< absolute path of the running program, or empty
  std::string root = "/";   ///< root of the host's files; another one in tests
  std::string place = ".";  ///< working directory, likewise
  bool in_is_terminal = false;
  bool err_is_terminal = false;
  bool out_is_terminal = false;
  std::size_t out_width = 0;  ///< columns of the terminal; 0: stdout is not one, or unknown

  /// Returns a variable's value, or empty text.
  std::string variable(const std::string& name) const;
  /// Returns our directory in the one in the variable `name`, else in `fallback` in the home; empty if neither is set.
  /// Relative paths are ignored (XDG Base Directory Specification).
  std::string directory(const std::string& name, const std::string& fallback) const;
  /// Returns today's date in UTC, or that of SOURCE_DATE_EPOCH: "2026-11-23".
  std::string today() const;
};

/// Returns the environment of this process.
Environment process_environment();

/// Opens /dev/null for each of stdin, stdout and stderr that the caller closed, so that no file gets its number and our
/// output. stdout is opened read-only: writing to it remains an error.
void secure_standard_streams();

/// Ends the process: returns `code`, or for 128+n dies of signal n, so that the shell sees it.
int end_process(int code);

/// Returns TORCHPATCH_DATA if set, else <prefix>/share/torchpatch for a program in <prefix>/bin, wherever the prefix
/// was moved (a build directory links its share/torchpatch to the checkout). Raises environment if there is no catalog.
std::string data_directory(const Environment& environment);

/// Runs one command line (`args` excludes the program's name). Writes the result to `out`, everything else to `err`.
/// Returns an exit code (command.h); 128+n if signal n ended the run (end_process() then dies of it). Never throws: it
/// is the only place that turns errors into exit codes.
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, const Environment& environment);

}  // namespace torchpatch::cli
