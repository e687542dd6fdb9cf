// SPDX-License-Identifier: BSD-3-Clause
/// What all forms of a comparison of series say in the same words (internal).
#pragma once

#include <string>

#include "emit/audit/series_report.h"

namespace torchpatch::emit {

/// Returns "same", "changed, in another order", "gone", …
std::string series_words(const SeriesEntry& entry);

/// Returns the sign that git range-diff has for it: " = ", " ! ", " < " or " > ".
inline const char* series_sign(SeriesChange change) {
  if (change == SeriesChange::only_before) return " < ";
  if (change == SeriesChange::only_after) return " > ";
  return change == SeriesChange::changed ? " ! " : " = ";
}

/// Returns the name of the patch, or "a/V1/0001-x.patch became a/V2/0001-x.patch".
std::string series_name(const SeriesEntry& entry);

/// Returns "From release 1.0.0 for tx2 (jetpack-3.3) to release 1.1.0 for tx2 (jetpack-3.3)".
std::string series_title(const SeriesReport& report);

}  // namespace torchpatch::emit
