// SPDX-License-Identifier: BSD-3-Clause
/// audit --against: how a series of patches changed, patch by patch, as git range-diff shows it.
#pragma once

#include <string>
#include <vector>

#include "emit/audit/audit_report.h"

namespace torchpatch::emit {

enum class SeriesChange {
  same,         ///< the same text
  shifted,      ///< the same header and changes; other positions, blob ids or context lines
  changed,      ///< header or changes differ
  only_before,  ///< is gone
  only_after,   ///< is new
};
/// Returns "same", "shifted", "changed", "only-before" or "only-after".
const char* series_change_name(SeriesChange change);

struct SeriesEntry {
  SeriesChange change = SeriesChange::same;
  bool is_moved = false;              ///< it comes in another order among the patches that both sides have
  std::size_t before = 0, after = 0;  ///< places in the series, 1-based; 0: it is not there
  std::string before_name, after_name;
  std::string title;  ///< first line of the description
  /// What differs between the two, header fields and changed lines alone; a line's text begins with what it is in the
  /// patch: "+", "-" or a blank for a header field or the name of a file. Its numbers are 0.
  std::vector<AuditHunk> hunks;
};

struct SeriesReport {
  std::string before, after;         ///< "release 1.0.0 for tx2 (jetpack-3.3)"
  std::vector<SeriesEntry> entries;  ///< in the order of the later series
};

/// Returns "2 same, 1 changed, 1 new".
std::string series_counts(const SeriesReport& report);

/// Returns the report for a terminal, as JSON ({"schema":1, "before", "after", "patches":[…]}), CommonMark or one HTML
/// page.
std::string series_text(const SeriesReport& report, TextColor color = TextColor::none);
std::string series_json(const SeriesReport& report);
std::string series_markdown(const SeriesReport& report);
std::string series_html(const SeriesReport& report);

}  // namespace torchpatch::emit
