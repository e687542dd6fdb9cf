// SPDX-License-Identifier: BSD-3-Clause
#include "cli/option_set.h"

#include <CLI/CLI.hpp>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

/// CLI11 runs these while it parses; an Error passes through it to cli::run.
void refuse_empty(CLI::Option& option, const std::string& name) {
  option.check([name](const std::string& value) {
    if (value.empty()) throw Error(ErrorKind::usage, concat("'", name, "' needs a value, not an empty text"));
    return std::string();
  });
}

void require_choice(CLI::Option& option, const std::string& name, const std::vector<std::string>& choices) {
  option.check([name, choices](const std::string& value) {
    for (const std::string& choice : choices) {
      if (value == choice) return std::string();
    }
    throw Error(ErrorKind::usage, concat(quote(value), " is no value of '", name, "': it takes ", join(choices, ", ")),
                did_you_mean(value, choices));
  });
}

/// CLI11 splits a value in brackets ("[a,b]") unless further values are forbidden.
CLI::Option& one_word(CLI::Option* option, const std::string& metavar) {
  option->type_name(metavar)->allow_extra_args(false);
  return *option;
}

/// Returns the longest of "-o,--output".
std::string main_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

void require(CLI::Option& option, Need need) { option.required(need == Need::required); }

}  // namespace

void OptionSet::flag(const std::string& names, bool& target, const std::string& help) {
  app_.add_flag(names, target, help)->type_name("")->disable_flag_override();
}

void OptionSet::value(const std::string& names, std::string& target, const std::string& metavar,
                      const std::string& help, Need need) {
  CLI::Option& option = one_word(app_.add_option(names, target, help), metavar);
  refuse_empty(option, main_name(names));
  require(option, need);
}

void OptionSet::values(const std::string& names, std::vector<std::string>& target, const std::string& metavar,
                       const std::string& help, Need need) {
  CLI::Option& option = one_word(app_.add_option(names, target, help), metavar);
  refuse_empty(option, main_name(names));
  require(option, need);
}

void OptionSet::number(const std::string& names, int& target, int maximum, const std::string& help, int minimum) {
  CLI::Option& option = one_word(app_.add_option(names, target, help), "N");
  option.check([name = main_name(names), minimum, maximum](const std::string& value) {
    const auto number = parse_decimal(value);
    if (!number || *number < static_cast<std::uint64_t>(minimum) || *number > static_cast<std::uint64_t>(maximum)) {
      throw Error(ErrorKind::usage,
                  concat(quote(value), " is no value of '", name, "': it takes ", minimum, " to ", maximum));
    }
    return std::string();
  });
}

void OptionSet::choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
                       const std::string& help) {
  require_choice(one_word(app_.add_option(names, target, help), join(choices, "|")), main_name(names), choices);
}

void OptionSet::argument(const std::string& metavar, std::string& target, const std::string& help, Need need) {
  CLI::Option& option = one_word(app_.add_option(metavar, target, help), metavar);
  refuse_empty(option, metavar);
  require(option, need);
}

void OptionSet::choice_argument(const std::string& metavar, std::string& target,
                                const std::vector<std::string>& choices, const std::string& help, Need need) {
  CLI::Option& option = one_word(app_.add_option(metavar, target, help), join(choices, "|"));
  require_choice(option, metavar, choices);
  require(option, need);
}

void OptionSet::arguments(const std::string& metavar, std::vector<std::string>& target, const std::string& help) {
  app_.add_option(metavar, target, help)->type_name(metavar);
}

}  // namespace torchpatch::cli
