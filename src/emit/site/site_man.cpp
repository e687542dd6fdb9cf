// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/document/document_man.h"
#include "emit/site/site_pages.h"
#include "emit/site/site_paths.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

/// Returns the name of a manual page; empty for the map, which needs more columns than a terminal has.
std::string man_name(const PageRef& page) {
  switch (page.kind) {
    case PageKind::index:
      return "torchpatch-issues";
    case PageKind::symptoms:
      return "torchpatch-symptoms";
    case PageKind::issue:
      return "torchpatch-issue-" + page.id;
    case PageKind::boards:
      return "torchpatch-boards";
    case PageKind::board:
      return "torchpatch-board-" + page.id;
    case PageKind::releases:
      return "torchpatch-releases";
    case PageKind::release:
      return "torchpatch-release-" + page.id;
    case PageKind::patchsets:
      return "torchpatch-patches";
    case PageKind::patchset:
      return "torchpatch-patchset-" + page.id;
    case PageKind::coverage:
      break;
  }
  return {};
}

}  // namespace

std::vector<SiteFile> site_man(const SiteData& data) {
  const Surroundings around{man_name, {}};
  std::vector<SiteFile> files;
  for (const Document& document : site_documents(data)) {
    const std::string name = man_name(document.self);
    if (!name.empty()) files.push_back({name + ".7", document_man(document, around, name)});
  }
  std::sort(files.begin(), files.end(), [](const SiteFile& a, const SiteFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace torchpatch::emit
