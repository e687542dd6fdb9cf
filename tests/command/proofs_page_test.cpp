// SPDX-License-Identifier: BSD-3-Clause
#include "command/proofs_page.h"

#include <cstdlib>

#include "catalog/load_catalog.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/source_directory.h"

using namespace torchpatch;

TEST_CASE("docs/proofs.md says what is recorded") {
  const std::string root = test::source_directory();
  const std::string file = root + "/docs/proofs.md";
  const std::string page = test::proofs_page(read_file(file), catalog::load_catalog({{"shipped", root}}));
  if (std::getenv("TORCHPATCH_ACCEPT") != nullptr) write_file_atomically(file, page);
  INFO("to accept the new lists: TORCHPATCH_ACCEPT=1 tools/test");
  CHECK(read_file(file) == page);
}
