// SPDX-License-Identifier: BSD-3-Clause
/// Reports of check: as text, JSON, JUnit XML, SVG and HTML.
#pragma once

#include <string>

#include "document/document.h"
#include "model/check.h"

namespace torchpatch::report {

// In every form a status is written as name_of().

/// For a terminal: a matrix of releases and boards, the problems, the counts.
Document check_document(const CheckReport& report);
/// docs/schema/output/check.schema.json
std::string check_json(const CheckReport& report);
/// For continuous integration: one suite per release, one case per board and image.
std::string check_junit(const CheckReport& report);
/// A heat map, releases × boards, with colours and texts; follows the reader's dark or light mode.
std::string check_svg(const CheckReport& report);
/// The same as a table in a page without scripts, with the lists of check_document().
std::string check_html(const CheckReport& report);

/// Returns the number of cells in total and by status.
std::string counts_text(const CheckReport& report);
/// Returns "without sources: …" for a report without, else how many citations were checked.
std::string sources_text(const CheckReport& report);

}  // namespace torchpatch::report
