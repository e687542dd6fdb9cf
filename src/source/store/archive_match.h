// SPDX-License-Identifier: BSD-3-Clause
/// What release archives have of the pinned trees, path by path.
#pragma once

#include <string>
#include <vector>

#include "model/archive_comparison.h"
#include "source/closure/closure.h"
#include "source/store/archive_store.h"

namespace torchpatch::source {

/// Compares each archive with a closure.
std::vector<ArchiveComparison> compare_archives(const Closure& closure, const std::vector<OpenArchive>& archives);

/// Returns what a user should hear of: another commit, line ends, contents and files that came from elsewhere.
std::vector<std::string> archive_warnings(const ArchiveComparison& comparison);

/// Returns a line for each of the first ten files that are missing: whether an archive that should have it has not,
/// or has something else there; and one that counts the rest. Nothing where there are no archives.
std::vector<std::string> explain_missing(const RepositoryPath& repository, const std::vector<PinnedEntry>& files,
                                         const std::vector<OpenArchive>& archives);

}  // namespace torchpatch::source
