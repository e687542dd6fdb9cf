// SPDX-License-Identifier: BSD-3-Clause
/// audit --against: how a series of patches changed, patch by patch, as git range-diff shows it.
#pragma once

#include <string>

#include "document/document.h"
#include "model/audit.h"

namespace torchpatch::report {

/// Returns the report as JSON: {"schema":1, "before", "after", "patches":[…]}.
std::string series_json(const SeriesReport& report);

/// Returns the report as a page, which audit_html() renders as well.
Document series_document(const SeriesReport& report);

}  // namespace torchpatch::report
