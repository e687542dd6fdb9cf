// SPDX-License-Identifier: BSD-3-Clause
/// docs: the catalog as a site, a tree of Markdown, manual pages or one JSON file.
#pragma once

#include <cstdint>
#include <string>

#include "model/catalog.h"
#include "support/console.h"
#include "tree/staging.h"

namespace torchpatch::ops {

enum class DocsFormat { html, markdown, man, json };

struct DocsOptions {
  std::string output;
  DocsFormat format = DocsFormat::html;
  tree::IfExists if_exists = tree::IfExists::refuse;
};

/// What was written.
struct WrittenDocs {
  std::string output;  ///< absolute
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};

/// Writes the documentation to options.output, all of it or nothing; ".torchpatch-docs" in it lists the files. Raises
/// environment as tree::Staging does, and where a directory that is to be replaced holds files that are not on its
/// list.
WrittenDocs write_docs(const Catalog& catalog, const DocsOptions& options, Console& console);

}  // namespace torchpatch::ops
