// SPDX-License-Identifier: BSD-3-Clause
/// A workspace whose shipped catalog is the toy upstream's.
#pragma once

#include "support/run_cli.h"
#include "support/toy_upstream.h"

namespace torchpatch::test {

struct ToyWorkspace : TestWorkspace {
  ToyWorkspace() {
    set_variable("TORCHPATCH_DATA", upstream.catalog_directory());
    replace_in_output(upstream.scratch(), "$TOY");
  }
  ToyUpstream upstream;
};

}  // namespace torchpatch::test
