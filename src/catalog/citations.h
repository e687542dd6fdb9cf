// SPDX-License-Identifier: BSD-3-Clause
/// `citations`, `absences` and `outside` of a page, a release or a board.
#pragma once

#include "model/citation.h"
#include "support/json.h"

namespace torchpatch::catalog {

/// Returns them; each may be absent.
Citations read_citations(ObjectReader& reader);

}  // namespace torchpatch::catalog
