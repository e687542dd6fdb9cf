// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command_line.h"

#include "document/text.h"
#include "support/catch.h"

using namespace torchpatch::cli;

TEST_CASE("paragraphs: joins lines, splits at empty ones") {
  CHECK(paragraphs("a\nb\n\n\nc\n") == std::vector<std::string>{"a b", "c"});
}

TEST_CASE("command_help: options stand in columns of a terminal") {
  Command command;
  command.name = "prepare";
  command.summary = "write a tree";
  command.options = {{{"-o", "--output"}, "DIR", {}, "directory to write, which must not be there", false, true, false},
                     {{"-q"}, "", {}, "quiet", false, false, false}};
  CHECK(torchpatch::blocks_text(command_help(command), {.width = 40}) ==
        "torchpatch prepare: write a tree\n\n"
        "Usage: torchpatch prepare --output DIR\n[OPTION]...\n\n"
        "Options:\n"
        "  -o, --output DIR  directory to write,\n"
        "                    which must not be\n"
        "                    there\n"
        "  -q                quiet\n");
}
