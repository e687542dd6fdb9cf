// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/site/site_map.h"
#include "emit/site/site_pages.h"
#include "emit/site/site_paths.h"
#include "emit/site/site_words.h"

namespace torchpatch::emit {
namespace {

/// The other parts of the site, for pages that have no head of navigation.
Paragraph parts_line() {
  return {joined({{link_to({PageKind::symptoms}, "Symptoms from A to Z")},
                  {link_to({PageKind::boards}, "Boards")},
                  {link_to({PageKind::releases}, "Releases")},
                  {link_to({PageKind::patchsets}, "Patches")},
                  {link_to({PageKind::coverage}, "Coverage")}},
                 " · ")};
}

}  // namespace

std::vector<SiteFile> site_markdown(const SiteData& data) {
  std::vector<SiteFile> files;
  for (Document& document : site_documents(data)) {
    if (document.self.kind == PageKind::index) {
      document.blocks.insert(document.blocks.begin(), parts_line());
    } else {
      document.blocks.insert(document.blocks.begin(), Paragraph{{link_to({PageKind::index}, "All known issues")}});
    }
    if (document.self.kind == PageKind::coverage) document.blocks.push_back(site_map_table(data));
    files.push_back({page_path(document.self, "README", ".md"),
                     document_markdown(document, surroundings(data, document.self, "README", ".md"))});
  }
  std::sort(files.begin(), files.end(), [](const SiteFile& a, const SiteFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace torchpatch::emit
