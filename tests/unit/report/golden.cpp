// SPDX-License-Identifier: BSD-3-Clause
#include "unit/report/golden.h"

#include <cstdlib>

#include "support/catch.h"
#include "support/file.h"
#include "support/source_directory.h"

namespace torchpatch::test {

void check_golden(const std::string& name, const std::string& actual) {
  const std::string path = test::source_directory() + "/tests/unit/report/golden/" + name;
  if (std::getenv("TORCHPATCH_ACCEPT") != nullptr) write_file_atomically(path, actual);
  const std::string expected = file_exists(path) ? read_file(path) : "";
  INFO("golden/" << name << "; to accept the new text: TORCHPATCH_ACCEPT=1 tools/test");
  CHECK(actual == expected);
}

}  // namespace torchpatch::test
