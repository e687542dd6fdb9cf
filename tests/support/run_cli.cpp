// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_cli.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "cli/run.h"
#include "support/catch.h"
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
    CHECK((exit_code == 0 || exit_code == 1 || exit_code == 4));  // 4: check, where commits are missing
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
  environment.out_width = width_;
  std::ostringstream out, err;
  const int exit_code = cli::run(args, out, err, environment);
  check_json_output(args, exit_code, out.str());
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
