// SPDX-License-Identifier: BSD-3-Clause
/// What becomes of one issue on all boards, in few rows and columns (internal).
#pragma once

#include "emit/document/document.h"
#include "emit/site/site_data.h"

namespace torchpatch::emit {

/// Returns a table: images of boards that get the same answers make a row, releases that follow each other with the
/// same answers a column. Images whose every release is unaffected are not in it. No rows: the issue applies nowhere.
Table answer_table(const SiteData& data, const std::string& issue);

/// Returns the images in words: "tx1, tx2 (jetpack-3.2, jetpack-3.3), every image of …"; a board of which all images
/// that go with any release are there goes by its id alone.
Line target_words(const SiteData& data, const std::vector<std::size_t>& targets);

}  // namespace torchpatch::emit
