// SPDX-License-Identifier: BSD-3-Clause
/// docs/proofs.md, made of what the catalog has recorded.
#pragma once

#include <string>

#include "model/catalog.h"

namespace torchpatch::test {

/// Returns the page with its lists written anew; what stands before the first of them is kept.
std::string proofs_page(const std::string& page, const Catalog& catalog);

}  // namespace torchpatch::test
