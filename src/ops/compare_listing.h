// SPDX-License-Identifier: BSD-3-Clause
/// verify, first part: what lies on disk against what SHA256SUMS and the manifest list, path by path.
#pragma once

#include <string>
#include <vector>

#include "emit/manifest/sums.h"
#include "emit/run/reports.h"
#include "model/manifest.h"
#include "tree/scan.h"

namespace torchpatch::ops {

struct ListingOptions {
  bool strict_modes = false;
};

struct ListingComparison {
  std::vector<emit::Difference> differences;
  std::vector<std::string> extras;  ///< paths that no list has; outermost only (a directory stands for what it holds)
};

/// Compares a scan of OUT with the lists: changed, missing, mode, link, type, unreadable, and extras.
ListingComparison compare_listing(const std::vector<tree::ScannedEntry>& scanned, const Manifest& manifest,
                                  const emit::Sums& sums, const ListingOptions& options);

}  // namespace torchpatch::ops
