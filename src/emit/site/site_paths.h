// SPDX-License-Identifier: BSD-3-Clause
/// Where the pages of a site lie (internal).
#pragma once

#include <string>

#include "emit/document/document.h"
#include "emit/site/site_data.h"

namespace torchpatch::emit {

/// Returns the path of a page: "issues/cmake-4.html"; the index is "<index>.html".
std::string page_path(const PageRef& page, const std::string& index, const std::string& suffix);

/// Returns the address of one path as seen from another: both are at most one directory deep.
std::string relative_address(const std::string& from, const std::string& to);

/// Returns what a page must know of those around it, for files with this index and suffix. Refers to `data` and `self`.
Surroundings surroundings(const SiteData& data, const PageRef& self, const std::string& index,
                          const std::string& suffix);

}  // namespace torchpatch::emit
