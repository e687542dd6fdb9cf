// SPDX-License-Identifier: BSD-3-Clause
/// Where a figure of a data file comes from.
#pragma once

#include <string>
#include <vector>

namespace torchpatch {

/// The "sources" of a data file: for some of its keys, the evidence and whether anyone has verified it.
/// Every figure has one (a test says so); what is unverified is shown as such by `show` and the documentation.
struct SourceNote {
  std::vector<std::string> keys;  ///< key paths in the file, such as "memory_mib" or "images.jetpack-3.3.glibc"
  std::string source;             ///< a link, a document of the project, or "general knowledge"
  bool verified = false;
};

}  // namespace torchpatch
