// SPDX-License-Identifier: BSD-3-Clause
/// bundle verify: what is wrong with a bundle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/run/reports.h"

namespace torchpatch::emit {

struct BundleReport {
  std::string file;
  std::uint64_t size = 0;  ///< bytes
  std::string sha256;      ///< of the file
  std::vector<std::string> releases;
  std::uint64_t repositories = 0, commits = 0, objects = 0;
  std::vector<std::string> problems;
  std::vector<std::string> notes;  ///< such as a release that this catalog does not know
};

/// JSON: {"schema": 1, "ok", "file", "size", "sha256", "releases", "totals", "problems", "notes"}.
std::string bundle_report(const BundleReport& report, Format format);

}  // namespace torchpatch::emit
