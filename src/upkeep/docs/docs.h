// SPDX-License-Identifier: BSD-3-Clause
/// make_site_data(): what the documentation says of plans; write_docs(): writes its files.
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

/// What was written.
struct WrittenDocs {
  std::string output;  ///< absolute
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};

/// Writes the files of the documentation to `output`, all of it or nothing; ".torchpatch-docs" in it lists the
/// files. Raises environment as tree::Staging does, and where a directory that is to be replaced holds files that are
/// not on its list.
WrittenDocs write_docs(const std::vector<record::GeneratedFile>& files, const std::string& output,
                       tree::IfExists if_exists, Console& console);

}  // namespace torchpatch::upkeep
