// SPDX-License-Identifier: BSD-3-Clause
/// IssueFile: a known issue, known_issues/<id>.md (docs/formats.md).
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

/// Parses a page; returns nothing (and findings) if it has no usable metadata. `path` is for messages, `stem` the
/// file's name without .md.
std::optional<IssueFile> parse_issue(const std::string& bytes, const std::string& path, const std::string& stem,
                                     Findings& findings);

/// Reads and parses a page.
std::optional<IssueFile> read_issue(const std::string& path, const std::string& stem, Findings& findings);

// A known issue's page, split into its parts with cmark's syntax tree.

struct IssuePage {
  std::string title;  ///< the level-one heading as plain text
  std::string json;   ///< the fenced block with the metadata
  int json_line = 0;  ///< the line of the file where it begins
  /// Symptom, Cause, Fix, How to verify, in this order: heading and CommonMark text.
  std::vector<std::pair<std::string, std::string>> sections;
};

/// Splits a page. Findings: invalid UTF-8 or control bytes; raw HTML, images, links other than http, https, mailto and
/// #fragment; a missing or misplaced part. Returns nothing if there is no JSON block to continue from.
std::optional<IssuePage> parse_issue_page(const std::string& text, const std::string& file, Findings& findings);

}  // namespace torchpatch::catalog
