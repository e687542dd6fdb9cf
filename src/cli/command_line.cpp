// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::cli {

extern const std::string_view kHelp;  // help.txt, as embedded by cmake/embed.cmake

namespace {

/// Returns the commands in help.txt, which have no options yet.
std::vector<Command> read_help() {
  std::vector<Command> commands;
  std::string group;
  for (const std::string& line : split(kHelp, '\n')) {
    if (starts_with(line, "##")) {
      group = trim(line.substr(2));
    } else if (starts_with(line, "# ")) {
      const std::size_t colon = line.find(": ");
      commands.push_back({.name = line.substr(2, colon - 2), .group = group, .summary = line.substr(colon + 2)});
    } else if (commands.empty()) {
      continue;  // text above the first command is for editors of the file
    } else if (starts_with(line, "    ")) {
      commands.back().examples.push_back(line.substr(4));
    } else {
      commands.back().details += line + "\n";
    }
  }
  return commands;
}

/// CLI11 calls this while parsing; an Error passes through it to cli::run.
void refuse_empty(CLI::Option& option, const std::string& name) {
  option.check([name](const std::string& value) {
    if (value.empty()) throw Error(ErrorKind::usage, concat("'", name, "' needs a value, not an empty text"));
    return std::string();
  });
}

void require_choice(CLI::Option& option, const std::string& name, const std::vector<std::string>& choices) {
  option.check([name, choices](const std::string& value) {
    for (const std::string& choice : choices)
      if (value == choice) return std::string();
    throw Error(ErrorKind::usage, concat("unknown ", name, " ", quote(value), "; choose from ", join(choices, ", ")),
                did_you_mean(value, choices));
  });
}

void require_range(CLI::Option& option, const std::string& name, const Range& range) {
  option.check([name, range](const std::string& value) {
    const auto number = parse_decimal(value);
    if (!number || *number < static_cast<std::uint64_t>(range.minimum) ||
        *number > static_cast<std::uint64_t>(range.maximum))
      throw Error(ErrorKind::usage, concat(name, ": found ", quote(value), ", need a number from ", range.minimum,
                                           " to ", range.maximum));
    return std::string();
  });
}

/// Returns the longest name in "-o,--output".
std::string main_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

/// CLI11 splits a value in brackets ("[a,b]") unless extra values are forbidden.
CLI::Option& one_word(CLI::Option* option, const std::string& metavar) {
  option->type_name(metavar)->allow_extra_args(false);
  return *option;
}

/// Adds an option with one or more texts as value.
template <typename Target>
void add_text(CLI::App& app, const std::string& names, Target& target, const std::string& metavar,
              const std::string& help, Need need) {
  CLI::Option& option = one_word(app.add_option(names, target, help), metavar);
  refuse_empty(option, main_name(names));
  option.required(need == Need::required);
}

Error usage(const std::string& message, const std::string& hint) { return {ErrorKind::usage, message, hint}; }

void declare_globals(CLI::App& app, CommandLine& globals) {
  app.set_help_flag();  // CLI11's own would end parsing
  OptionSet options(app);
  options.flag("-q,--quiet", globals.quiet, "print no progress on stderr, only warnings and errors");
  options.choice("--color", globals.color, {"auto", "always", "never"},
                 "colour; auto: on a terminal, unless NO_COLOR is set");
  options.flag("-h,--help", globals.help, "print this help");
}

void declare_program(CLI::App& app, CommandLine& globals) {
  declare_globals(app, globals);
  OptionSet(app).flag("-V,--version", globals.version, "print the version");
  app.prefix_command();  // leaves everything from the command's name on to the command
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void refuse_leftover(const CLI::App& app, const std::string& word, const std::string& help) {
  if (!starts_with(word, "-") || word == "-") throw usage(concat("unexpected argument ", quote(word)), help);
  const std::string name = word.substr(0, word.find('='));
  const std::string near = did_you_mean(name, option_names(app));
  throw usage(concat("unknown option ", quote(name)), near.empty() ? help : near);
}

/// Reports all missing required options and arguments. CLI11 stops at the first.
void check_required(const CLI::App& app, const std::string& help) {
  std::vector<std::string> missing;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    missing.push_back(option->get_positional() ? option->get_name(true)
                                               : option->get_name() + " " + option->get_type_name());
  }
  if (!missing.empty()) throw usage("missing: " + join(missing, ", "), help);
}

/// CLI11's message begins with the option's name (a flag's without dashes); its text shows which of three errors it is.
[[noreturn]] void refuse_mismatch(const std::string& words, const std::string& help) {
  const std::string name = words.substr(0, words.find_first_of(": "));
  const std::string option = quote(starts_with(name, "-") ? name : "--" + name);
  if (words.find("At Most") != std::string::npos) throw usage(concat("option ", option, " is given twice"), help);
  if (words.find("override") != std::string::npos)
    throw usage(concat("option ", option, " does not accept a value"), help);
  throw usage(concat("option ", option, " needs a value"), help);
}

/// Parses `args`; returns what CLI11 could not place. `help` is for hints.
std::vector<std::string> parse(CLI::App& app, std::vector<std::string> args, const std::string& help) {
  std::reverse(args.begin(), args.end());
  try {
    app.parse(args);
  } catch (const CLI::RequiredError&) {
    // check_required() reports it better, and after leftovers: a mistyped option is more likely.
  } catch (const CLI::ArgumentMismatch& mismatch) {
    refuse_mismatch(mismatch.what(), help);
  } catch (const CLI::ParseError& error) {
    throw usage(error.what(), help);
  }
  std::vector<std::string> rest = app.remaining();
  if (!rest.empty() && rest.front() == "--") rest.erase(rest.begin());
  return rest;
}

const Command* find_command(const std::vector<Command>& commands, const std::string& name) {
  return find_where(commands, [&](const Command& each) { return each.name == name; });
}

/// Replaces former names of commands by current ones; returns a warning, or empty text. Raises usage for a removed
/// command.
std::string replace_former_words(std::vector<std::string>& words) {
  const std::string name = words.size() < 2 ? "" : words[0] + " " + words[1];
  const auto replace = [&](const std::vector<std::string>& now, const char* instead) {
    words.erase(words.begin(), words.begin() + 2);
    words.insert(words.begin(), now.begin(), now.end());
    return concat(quote(name), " is now '", instead, "'");
  };
  const auto refuse = [&](const char* instead) {
    throw usage(concat("the command ", quote(name), " was removed"), concat("use '", instead, "'"));
  };
  if (name == "audit sign") refuse("ssh-keygen -Y sign -n torchpatch-audit -f KEY FILE");
  if (name == "audit verify-signature")
    refuse("ssh-keygen -Y verify -n torchpatch-audit -f allowed_signers -I NAME -s FILE.sig <FILE");
  if (name == "bundle verify") return replace({"mirror", "verify"}, "mirror verify FILE");
  if (name == "bundle unpack") return replace({"mirror", "unpack"}, "mirror unpack FILE --output DIR");
  if (name != "bundle create") return {};
  for (std::string& word : words)
    if (word == "-o" || word == "--output")
      word = "--bundle";
    else if (starts_with(word, "--output="))
      word.replace(0, 8, "--bundle");
    else if (starts_with(word, "-o"))
      word.replace(0, 2, "--bundle=");
  return replace({"mirror"}, "mirror --bundle FILE");
}

/// Removes and returns the command in the first words. Two words take precedence: "audit" may have an argument, and
/// there is also "audit approve".
const Command& take_command(const std::vector<Command>& commands, std::vector<std::string>& words) {
  const std::string first = words.front();
  if (words.size() > 1) {
    if (const Command* command = find_command(commands, first + " " + words[1])) {
      words.erase(words.begin(), words.begin() + 2);
      return *command;
    }
  }
  if (const Command* command = find_command(commands, first)) {
    words.erase(words.begin());
    return *command;
  }
  std::vector<std::string> names, group;
  for (const Command& command : commands) {
    if (!command.group.empty()) names.push_back(command.name);
    if (starts_with(command.name, first + " ")) group.push_back(command.name);
  }
  if (!group.empty()) {
    const bool is_alone = words.size() == 1 || starts_with(words[1], "-");
    throw usage(is_alone ? concat(quote(first), " needs a subcommand")
                         : concat("unknown command ", quote(concat(first, " ", words[1]))),
                "the commands are: " + join(group, ", "));
  }
  const std::string near = did_you_mean(first, names);
  throw usage(concat("unknown command ", quote(first)), near.empty() ? "'torchpatch --help' lists the commands" : near);
}

OptionDescription describe(const CLI::Option& option) {
  OptionDescription description;
  description.help = option.get_description();
  description.is_argument = option.get_positional();
  description.is_required = option.get_required();
  description.may_repeat = option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
  description.metavar = option.get_type_name();
  // OptionSet has kinds of values in capitals ("DIR") and choices in lower case ("auto|always").
  if (std::ranges::any_of(description.metavar, [](char c) { return c >= 'a' && c <= 'z'; }))
    description.choices = split(description.metavar, '|');
  if (description.is_argument) {
    description.names = {option.get_name(true)};
    return description;
  }
  for (const std::string& name : option.get_snames()) description.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) description.names.push_back("--" + name);
  return description;
}

std::vector<OptionDescription> describe_options(const CLI::App& app) {
  std::vector<OptionDescription> options;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) options.push_back(describe(*option));
  return options;
}

}  // namespace

void OptionSet::flag(const std::string& names, bool& target, const std::string& help) {
  app_.add_flag(names, target, help)->type_name("")->disable_flag_override();
}

void OptionSet::value(const std::string& names, std::string& target, const std::string& metavar,
                      const std::string& help, Need need) {
  add_text(app_, names, target, metavar, help, need);
}

void OptionSet::values(const std::string& names, std::vector<std::string>& target, const std::string& metavar,
                       const std::string& help, Need need) {
  add_text(app_, names, target, metavar, help, need);
}

void OptionSet::number(const std::string& names, int& target, int maximum, const std::string& help, int minimum) {
  require_range(one_word(app_.add_option(names, target, help), "N"), main_name(names), {minimum, maximum});
}

void OptionSet::setting(const std::string& name, std::optional<int>& target, const Range& range,
                        const std::string& help, bool is_listed) {
  CLI::Option& option = one_word(app_.add_option(name, target, help), "N");
  require_range(option, name, range);
  if (!is_listed) option.group("");
}

void OptionSet::choice(const std::string& names, std::string& target, const std::vector<std::string>& choices,
                       const std::string& help, Need need) {
  CLI::Option& option = one_word(app_.add_option(names, target, help), join(choices, "|"));
  require_choice(option, main_name(names), choices);
  option.required(need == Need::required);
}

void OptionSet::arguments(const std::string& metavar, std::vector<std::string>& target, const std::string& help) {
  app_.add_option(metavar, target, help)->type_name(metavar);
}

CommandLine parse_command_line(const std::vector<std::string>& args, const std::vector<Command>& commands) {
  const std::string program_help = "'torchpatch --help' lists the commands";
  CommandLine line;
  CLI::App program;
  declare_program(program, line);
  std::vector<std::string> words = parse(program, args, program_help);
  if (words.empty()) {
    if (!line.help && !line.version) throw usage("no command given", program_help);
    return line;
  }
  if (starts_with(words.front(), "-")) refuse_leftover(program, words.front(), program_help);
  if (words.front() == "help") {  // "help prepare" is "prepare --help"
    line.help = true;
    words.erase(words.begin());
    if (words.empty()) return line;
  }

  line.warning = replace_former_words(words);
  line.command = &take_command(commands, words);
  const std::string help = concat("see 'torchpatch ", line.command->name, " --help'");
  CLI::App app;
  app.allow_extras();
  OptionSet options(app);
  Action action = line.command->declare(options);
  CommandLine after_command;
  declare_globals(app, after_command);
  const std::vector<std::string> leftover = parse(app, words, help);
  line.help |= after_command.help;
  line.quiet |= after_command.quiet;
  if (after_command.color != "auto") line.color = after_command.color;
  if (!leftover.empty()) refuse_leftover(app, leftover.front(), help);
  if (line.help) return line;
  check_required(app, help);
  line.action = std::move(action);
  return line;
}

Command describe_command(const Command& command) {
  CLI::App app;
  OptionSet options(app);
  const Action keeps_targets_alive = command.declare(options);
  CommandLine globals;
  declare_globals(app, globals);
  Command described = command;
  described.options = describe_options(app);
  return described;
}

std::vector<Command> describe_program(const std::vector<Command>& commands) {
  CLI::App app;
  CommandLine globals;
  declare_program(app, globals);
  Command program;
  program.summary = "verified, patched PyTorch source trees for boards";
  program.options = describe_options(app);
  std::vector<Command> described = {program};
  for (const Command& command : commands) described.push_back(describe_command(command));
  return described;
}

const std::vector<Command>& command_table() {
  static const std::vector<Command> kCommands = [] {
    std::vector<Command> all = plumbing_commands();
    for (const auto& list : {prepare_commands(), trees_commands(), build_commands(), recipes_commands(),
                             catalog_commands(), proofs_commands(), author_commands(), releases_commands(),
                             audit_commands(), keep_commands(), config_commands(), project_commands()})
      all.insert(all.end(), list.begin(), list.end());
    std::vector<Command> commands = read_help();
    for (Command& command : commands) {
      const Command* const declared = find_command(all, command.name);
      if (!declared || commands.size() != all.size())
        throw Error(ErrorKind::internal, concat("help.txt does not match the commands: ", command.name));
      command.declare = declared->declare;
    }
    return commands;
  }();
  return kCommands;
}

}  // namespace torchpatch::cli
