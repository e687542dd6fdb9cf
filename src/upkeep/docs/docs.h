// SPDX-License-Identifier: BSD-3-Clause
/// make_site_data(): the documentation's data on plans; write_docs(): writes its files.
#pragma once

#include <cstdint>
#include <string>

#include "model/catalog.h"
#include "model/site.h"
#include "record/tree_scripts.h"
#include "support/console.h"
#include "tree/staging.h"

namespace torchpatch::upkeep {

/// Plans every release for every board and image. The result points into `catalog`.
SiteData make_site_data(const Catalog& catalog);

/// Result of write_docs.
struct WrittenDocs {
  std::string output;  ///< absolute
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};

/// Writes the files of the documentation to `output`, all or nothing; ".torchpatch-docs" lists them. Raises environment
/// as tree::Staging, and if a directory to be replaced contains files that are not listed there.
WrittenDocs write_docs(const std::vector<record::GeneratedFile>& files, const std::string& output,
                       tree::IfExists if_exists, Console& console);

}  // namespace torchpatch::upkeep
