// SPDX-License-Identifier: BSD-3-Clause
/// Whether what the catalog cites of upstream's sources stands there.
#pragma once

#include <string>
#include <string_view>

#include "model/catalog.h"
#include "model/check.h"
#include "source/closure/pinned_lookup.h"

namespace torchpatch::ops {

/// Looks at every place of `release` that a release, page or board cites. Raises as PinnedLookup, but for objects that
/// are nowhere.
CitationCheck check_citations(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup);

/// Adds up two.
void add(CitationCheck& sum, CitationCheck part);

/// Returns whether a line reads a variable: by its name, by its rest in quotes behind a NO_, USE_ or WITH_ that a
/// program puts before it, by its beginning in quotes ('CMAKE_'), or by what `table` says that implies it.
bool line_reads(std::string_view line, const std::string& variable, const VariableTable& table);

}  // namespace torchpatch::ops
