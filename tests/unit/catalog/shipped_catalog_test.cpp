// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include "catalog/load_catalog.h"
#include "support/source_directory.h"

namespace torchpatch::catalog {
namespace {

TEST_CASE("load_catalog: the shipped catalog has no findings") {
  CHECK_NOTHROW(load_catalog({{"shipped", test::source_directory()}}));
}

}  // namespace
}  // namespace torchpatch::catalog
