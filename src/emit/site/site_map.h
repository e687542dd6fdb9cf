// SPDX-License-Identifier: BSD-3-Clause
/// The heat map of the plans (internal).
#pragma once

#include <string>

#include "emit/check/heat_map.h"
#include "emit/document/document.h"
#include "emit/site/site_data.h"

namespace torchpatch::emit {

/// Returns a square for each release and board: what prepare does where no image is named.
HeatMap plan_map(const SiteData& data);

/// Returns the map as HTML, with links to the pages of releases and boards, and its legend.
std::string site_map_html(const SiteData& data);

/// Returns the map as a table of words.
Table site_map_table(const SiteData& data);

}  // namespace torchpatch::emit
