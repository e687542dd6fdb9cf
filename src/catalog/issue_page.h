// SPDX-License-Identifier: BSD-3-Clause
/// The page of a known issue, split into its parts by cmark's syntax tree.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/json.h"

namespace torchpatch::catalog {

struct IssuePage {
  std::string title;  ///< of the level-one heading, as plain text
  std::string json;   ///< the fenced block with the metadata
  int json_line = 0;  ///< the line of the file on which it begins
  /// Symptom, Cause, Fix, How to verify: heading and CommonMark text, in this order.
  std::vector<std::pair<std::string, std::string>> sections;
};

/// Splits a page. Findings: text that is not UTF-8 or has control bytes; raw HTML, images, links other than http,
/// https, mailto and #fragment (reliability F); a missing or misplaced part. Nothing where there is no JSON block to
/// read on from.
std::optional<IssuePage> parse_issue_page(const std::string& text, const std::string& file, Findings& findings);

}  // namespace torchpatch::catalog
