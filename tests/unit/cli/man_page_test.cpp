// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command_line.h"

#include "support/catch.h"

using namespace torchpatch::cli;

TEST_CASE("command_man_page: escapes what troff would read") {
  Command command;
  command.name = "patch certify";
  command.summary = "certify";
  command.details = ".dot first\n\nback\\slash --and dashes";
  const std::string page = command_man_page(command);
  CHECK(man_page_name(command) == "torchpatch-patch-certify.1");
  CHECK(page.find(".TH TORCHPATCH-PATCH-CERTIFY 1 \"\" \"torchpatch " TORCHPATCH_VERSION "\" \"User Commands\"\n") ==
        0);
  CHECK(page.find("torchpatch\\-patch\\-certify \\- certify\n") != std::string::npos);
  CHECK(page.find("\n\\&.dot first\n") != std::string::npos);
  CHECK(page.find("\nback\\eslash \\-\\-and dashes\n") != std::string::npos);
}
