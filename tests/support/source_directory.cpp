// SPDX-License-Identifier: BSD-3-Clause
#include "support/source_directory.h"

namespace torchpatch::test {

std::string source_directory() { return TORCHPATCH_SOURCE_DIR; }

}  // namespace torchpatch::test
