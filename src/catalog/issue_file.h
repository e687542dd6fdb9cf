// SPDX-License-Identifier: BSD-3-Clause
/// known_issues/<id>.md (docs/formats.md).
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "catalog/data_file.h"
#include "catalog/entry.h"
#include "model/issue.h"

namespace torchpatch::catalog {

/// An issue and the metadata block it was read from.
struct IssueFile {
  DataFile file;
  Entry<Issue> entry;
};

/// Returns the issue of a page's `bytes`; nothing (and findings) where it has no metadata to read. `path` is for
/// messages, `stem` the file's name without .md.
std::optional<IssueFile> parse_issue(const std::string& bytes, const std::string& path, const std::string& stem,
                                     Findings& findings);

/// Reads a page from its file.
std::optional<IssueFile> read_issue(const std::string& path, const std::string& stem, Findings& findings);

}  // namespace torchpatch::catalog
