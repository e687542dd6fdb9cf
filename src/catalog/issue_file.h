// SPDX-License-Identifier: BSD-3-Clause
/// known_issues/<id>.md (docs/formats.md).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/data_file.h"
#include "model/issue.h"
#include "support/json.h"

namespace torchpatch::catalog {

/// An issue and the metadata block it was read from.
struct IssueFile {
  DataFile file;
  Issue issue;
};

/// Returns the issue of a page's `bytes`; nothing (and findings) where it has no metadata to read. `path` is for
/// messages, `stem` the file's name without .md.
std::optional<IssueFile> parse_issue(const std::string& bytes, const std::string& path, const std::string& stem,
                                     Findings& findings);

/// Reads a page from its file.
std::optional<IssueFile> read_issue(const std::string& path, const std::string& stem, Findings& findings);

// The page of a known issue, split into its parts by cmark's syntax tree.

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
