// SPDX-License-Identifier: BSD-3-Clause
#include "emit/site/site_paths.h"

#include "support/text.h"

namespace torchpatch::emit {

std::string page_path(const PageRef& page, const std::string& index, const std::string& suffix) {
  switch (page.kind) {
    case PageKind::index:
      return index + suffix;
    case PageKind::symptoms:
      return "symptoms" + suffix;
    case PageKind::issue:
      return concat("issues/", page.id, suffix);
    case PageKind::boards:
      return "boards" + suffix;
    case PageKind::board:
      return concat("boards/", page.id, suffix);
    case PageKind::releases:
      return "releases" + suffix;
    case PageKind::release:
      return concat("releases/", page.id, suffix);
    case PageKind::patchsets:
      return "patches" + suffix;
    case PageKind::patchset:
      return concat("patches/", page.id, suffix);
    case PageKind::coverage:
      return "coverage" + suffix;
  }
  return {};
}

std::string relative_address(const std::string& from, const std::string& to) {
  const std::size_t from_slash = from.find('/');
  if (from_slash == std::string::npos) return to;
  const std::string directory = from.substr(0, from_slash + 1);
  return starts_with(to, directory) ? to.substr(directory.size()) : "../" + to;
}

Surroundings surroundings(const SiteData& data, const PageRef& self, const std::string& index,
                          const std::string& suffix) {
  Surroundings around;
  const std::string from = page_path(self, index, suffix);
  around.address = [from, index, suffix](const PageRef& page) {
    return relative_address(from, page_path(page, index, suffix));
  };
  for (const auto& [id, issue] : data.catalog->issues) around.names.emplace_back(id, PageRef{PageKind::issue, id});
  return around;
}

}  // namespace torchpatch::emit
