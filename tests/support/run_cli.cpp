// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_cli.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "cli/command_line.h"
#include "cli/run.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/json_schema.h"
#include "support/text.h"

namespace torchpatch::test {

namespace {

/// Behind "--" stand no options.
bool has(const std::vector<std::string>& args, const std::string& option) {
  const auto end = std::ranges::find(args, "--");
  return std::find(args.begin(), end, option) != end;
}

/// Returns the command that the arguments name, by the schemas that there are.
std::string command_of(const std::vector<std::string>& args) {
  const auto first = std::ranges::find_if(args, [](const std::string& arg) { return !starts_with(arg, "-"); });
  if (first == args.end()) return {};
  const std::string two = first + 1 == args.end() ? *first : *first + " " + *(first + 1);
  return file_exists(output_schema_file(two)) ? two : *first;
}

/// What was printed: on stdout or, of a report, into the file of --output.
std::string json_of(const std::vector<std::string>& args, const std::string& out) {
  const auto option = std::ranges::find(args, "--output");
  return out.empty() && option != args.end() ? read_file(*(option + 1)) : out;
}

/// Fails the test where what a command printed with --json, an error as well, is not one document that a schema of
/// docs/schema/output describes.
void check_json_output(const std::vector<std::string>& args, int exit_code, const std::string& out) {
  if (!has(args, "--json") || has(args, "--help")) return;
  INFO("torchpatch " << join(args, " ") << "\nexit code " << exit_code << "\n" << out);
  Findings findings;
  const std::optional<Json> printed = parse_json(json_of(args, out), "stdout", 1, findings);
  REQUIRE(printed.has_value());
  CHECK(findings.empty());
  const Json* const error = member(*printed, "error");
  const std::string file = output_schema_file(error ? "error" : command_of(args));
  CHECK(schema_problems(json_of_file(file), *printed, parent_path(file)) == std::vector<std::string>{});
  if (error)
    CHECK(member(*error, "exit_code")->integer == exit_code);
  else
    CHECK((exit_code == 0 || exit_code == 1 || exit_code == 4 || exit_code == 8));  // 4: check; 8: wheel check
}

/// Returns the words of each 'torchpatch …' that stands in quotes in `text`, as a shell would read them.
std::vector<std::vector<std::string>> commands_in(const std::string& text) {
  std::vector<std::vector<std::string>> commands;
  const std::string opening = "'torchpatch ";
  for (std::size_t place = text.find(opening); place != std::string::npos; place = text.find(opening, place)) {
    place += opening.size();
    std::vector<std::string> words = {""};
    bool may_open = false;  // a quote of a word; else it ends the command
    for (; place < text.size() && (may_open || text[place] != '\''); ++place) {
      const char c = text[place] == '\n' ? ' ' : text[place];
      if (text[place] == '\n') place = text.find_first_not_of(' ', place + 1) - 1;  // a line that was broken
      const std::size_t end = c == '\'' ? std::min(text.find('\'', place + 1), text.size() - 1) : place;
      if (end > place) words.back() += text.substr(place + 1, end - place - 1);
      if (c == ' ') words.emplace_back();
      may_open = c == ' ' || c == '\\';
      if (c == '\\') words.back() += text[++place];
      if (c != ' ' && c != '\\' && c != '\'') words.back() += c;
      place = std::max(place, end);
    }
    commands.push_back(words);
  }
  return commands;
}

/// Whether running it changes nothing, and needs nothing but what the command says that printed it.
bool only_reads(const std::vector<std::string>& words) {
  static const std::set<std::string> kReading = {"list", "show", "verify", "explain", "flags", "config", "help"};
  return kReading.contains(words[0]) || words == std::vector<std::string>{"cache", "list"};
}

/// "VERSION", "DIR": the reader's part of a command.
bool has_placeholder(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.size() > 1 && word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_=…") == std::string::npos;
  });
}

/// Fails the test where a message has a command that there is not; a name alone ("'torchpatch port' writes it") is no
/// command to run. Those that only read are run, and must end well or with findings.
void check_printed_commands(const std::string& messages, const cli::Environment& environment) {
  const bool has_catalog = is_directory(environment.variable("TORCHPATCH_DATA"));
  for (const std::vector<std::string>& words : commands_in(messages)) {
    const auto is_named = [&](const cli::Command& command) { return command.name == join(words, " "); };
    if (std::ranges::any_of(cli::command_table(), is_named) || has_placeholder({words[0]}) || words[0] == "--help")
      continue;
    INFO("printed: torchpatch " << join(words, " ") << "\nin: " << messages);
    try {
      const cli::CommandLine line = cli::parse_command_line(words, cli::command_table());
      CHECK(line.command != nullptr);
      CHECK(line.warning.empty());  // no earlier name
    } catch (const Error& error) {
      FAIL_CHECK(error.what());
    }
    if (!only_reads(words) || has_placeholder(words) || !has_catalog) continue;
    std::ostringstream out, err;
    CHECK(cli::run(words, out, err, environment) <= cli::kFindings);
  }
}

}  // namespace

TestWorkspace::TestWorkspace() {
  const char* path = std::getenv("PATH");
  variables_ = {{"PATH", path == nullptr ? "/usr/bin:/bin" : path},
                {"HOME", temp_.path()},
                {"XDG_CACHE_HOME", temp_.path() + "/cache"},
                {"XDG_STATE_HOME", temp_.path() + "/state"}};
  replaced_ = {{temp_.path(), "$TMP"}};
}

void TestWorkspace::write(const std::string& name, const std::string& bytes) const {
  make_directories(parent_path(path(name)));
  write_file_atomically(path(name), bytes);
}

CliResult TestWorkspace::run(const std::vector<std::string>& args) const {
  cli::Environment environment;
  environment.variables = variables_;
  environment.root = root_;
  environment.place = place_;
  environment.in_is_terminal = is_terminal_;
  environment.out_width = width_;
  std::ostringstream out, err;
  const int exit_code = cli::run(args, out, err, environment);
  check_json_output(args, exit_code, out.str());
  check_printed_commands(out.str() + err.str(), environment);
  return {exit_code, normalized(out.str()), normalized(err.str())};
}

std::string TestWorkspace::normalized(std::string text) const {
  for (const auto& [from, to] : replaced_)
    for (std::size_t place = 0; (place = text.find(from, place)) != std::string::npos; place += to.size())
      text.replace(place, from.size(), to);
  return text;
}

void edit(const std::string& file, const std::string& from, const std::string& to) {
  std::string text = read_file(file);
  REQUIRE(text.find(from) != std::string::npos);
  write_file_atomically(file, text.replace(text.find(from), from.size(), to));
}

}  // namespace torchpatch::test
