// SPDX-License-Identifier: BSD-3-Clause
/// The documentation as files: SiteData as HTML, Markdown, manual pages and JSON (site_html and others), and page
/// paths.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/document.h"
#include "model/plan.h"
#include "model/site.h"
#include "record/tree_scripts.h"
#include "report/check/heat_map.h"

namespace torchpatch::report {

using record::GeneratedFile;

/// Return all files of the documentation, sorted by name, a safe relative path; equal data give equal bytes.
std::vector<GeneratedFile> site_html(const SiteData& data);
std::vector<GeneratedFile> site_markdown(const SiteData& data);
std::vector<GeneratedFile> site_man(const SiteData& data);
std::vector<GeneratedFile> site_json(const SiteData& data);

/// Returns a script with the plan for each release, board and image; plans.js reads it.
std::string plan_data(const SiteData& data);

// Files of the site, as embedded by cmake/embed.cmake.

extern const std::string_view kSiteCss;
extern const std::string_view kSearchEngineJs;
extern const std::string_view kSearchJs;
extern const std::string_view kCopyJs;
extern const std::string_view kPlansJs;

// Paths of pages.

/// Returns the path of a page: "issues/cmake-4.html"; the index is "<index>.html".
std::string page_path(const PageRef& page, const std::string& index, const std::string& suffix);

/// Returns the relative address from one path to another: both are at most one directory deep.
std::string relative_address(const std::string& from, const std::string& to);

/// Returns the context of a page, for files with this index and suffix. Refers to `data` and `self`.
Surroundings surroundings(const SiteData& data, const PageRef& self, const std::string& index,
                          const std::string& suffix);

// The heat map of the plans.

/// Returns a square for each release and board: the plan if no image is named.
HeatMap plan_map(const SiteData& data);

/// Returns the map as HTML, with links to the pages of releases and boards, and its legend.
std::string site_map_html(const SiteData& data);

/// Returns the map as a table of words.
Table site_map_table(const SiteData& data);

}  // namespace torchpatch::report
