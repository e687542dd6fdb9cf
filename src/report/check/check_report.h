// SPDX-License-Identifier: BSD-3-Clause
/// What check found, and its forms: table, JSON, JUnit XML, SVG and HTML.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/check.h"
#include "support/findings.h"

namespace torchpatch::report {

/// For a terminal: a matrix of releases and boards, what is not as it should be, the counts.
std::string check_table(const CheckReport& report);
/// docs/schema/check.schema.json
std::string check_json(const CheckReport& report);
/// One suite a release, one case a board and image, as continuous integration reads it.
std::string check_junit(const CheckReport& report);
/// A heat map, releases × boards: colours and texts; dark or light as the reader's system is.
std::string check_svg(const CheckReport& report);
/// The same as a table of a page without scripts, with the lists of check_table.
std::string check_html(const CheckReport& report);

}  // namespace torchpatch::report
