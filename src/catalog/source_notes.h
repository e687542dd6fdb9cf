// SPDX-License-Identifier: BSD-3-Clause
/// `sources` of a data file: the evidence for its figures, and whether every figure has some.
#pragma once

#include <string>
#include <vector>

#include "model/source_note.h"
#include "support/json.h"

namespace torchpatch::catalog {

/// Returns the notes of "sources", which must be there.
std::vector<SourceNote> read_source_notes(ObjectReader& reader);

/// Adds a finding for every figure of the file that no note covers, and for every key of a note that names nothing in
/// the file. `figures` are patterns of key paths, "*" standing for any name: "images.*.glibc". An element of a list
/// goes by its id. A key covers what lies below it.
void check_figures(const JsonValue& root, const std::string& file, const std::vector<SourceNote>& notes,
                   const std::vector<std::string>& figures, Findings& findings);

}  // namespace torchpatch::catalog
