// SPDX-License-Identifier: BSD-3-Clause
/// What check found, and its forms: table, JSON, JUnit XML, SVG and HTML.
#pragma once

#include <string>

#include "document/document.h"
#include "model/check.h"

namespace torchpatch::report {

// A status has one word in every form, which is name_of().

/// A matrix of releases and boards for a terminal, what is not as it should be, the counts.
Document check_document(const CheckReport& report);
/// docs/schema/output/check.schema.json
std::string check_json(const CheckReport& report);
/// One suite a release, one case a board and image, as continuous integration reads it.
std::string check_junit(const CheckReport& report);
/// A heat map, releases × boards: colours and texts; dark or light as the reader's system is.
std::string check_svg(const CheckReport& report);
/// The same as a table of a page without scripts, with the lists of check_document().
std::string check_html(const CheckReport& report);

/// Returns the number of cells, and how many have which status.
std::string counts_text(const CheckReport& report);
/// Returns "without sources: …", for a report that has none; else how many citations were looked at.
std::string sources_text(const CheckReport& report);

}  // namespace torchpatch::report
