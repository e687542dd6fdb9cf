// SPDX-License-Identifier: BSD-3-Clause
#include "command/commands_page.h"

#include <cstdlib>

#include "cli/command_line.h"
#include "support/catch.h"
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
