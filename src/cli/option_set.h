// SPDX-License-Identifier: BSD-3-Clause
/// The options of one command, declared on a CLI::App; keeps CLI11 out of the command files. Every option takes its
/// value in one word and can be given once, but for values() and arguments().
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace torchpatch::cli {

enum class Need { optional, required };

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
  /// One of `choices`.
  void choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
              const std::string& help);

  /// A word that is no option.
  void argument(const std::string& metavar, std::string& target, const std::string& help, Need need);
  /// As argument(), but one of `choices`.
  void choice_argument(const std::string& metavar, std::string& target, const std::vector<std::string>& choices,
                       const std::string& help, Need need);
  /// Any number of words that are no options.
  void arguments(const std::string& metavar, std::vector<std::string>& target, const std::string& help);

 private:
  CLI::App& app_;
};

}  // namespace torchpatch::cli
