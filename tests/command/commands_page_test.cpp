// SPDX-License-Identifier: BSD-3-Clause
#include "command/commands_page.h"

#include <cstdlib>
#include <map>

#include "cli/command_line.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"
#include "support/source_directory.h"

using namespace torchpatch;

TEST_CASE("docs/commands.md says what the program says") {
  const std::string file = test::source_directory() + "/docs/commands.md";
  const std::string page = test::commands_page(cli::describe_program(cli::command_table()));
  if (std::getenv("TORCHPATCH_ACCEPT") != nullptr) write_file_atomically(file, page);
  INFO("to accept the new text: TORCHPATCH_ACCEPT=1 tools/test");
  CHECK(read_file(file) == page);
}

TEST_CASE("exit_code_terms: each kind of error has its number and its name") {
  std::map<std::string, std::string> meanings;
  for (const auto& [code, meaning] : cli::exit_code_terms().rows) meanings[code] = meaning.front().text;
  for (const auto& [kind, name] : kNamesOf<ErrorKind>)
    CHECK_THAT(meanings[std::to_string(static_cast<int>(kind))], Catch::StartsWith(std::string(name) + ": "));
  CHECK(meanings.contains(std::to_string(cli::kFindings)));
  CHECK(meanings.contains(std::to_string(cli::kInstallFirst)));
}
