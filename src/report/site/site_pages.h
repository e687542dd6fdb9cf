// SPDX-License-Identifier: BSD-3-Clause
/// The pages, apart from their form (internal).
#pragma once

#include <vector>

#include "document/document.h"
#include "report/site/site.h"

namespace torchpatch::report {

Document index_document(const SiteData& data);
Document symptoms_document(const SiteData& data);
Document issue_document(const SiteData& data, const Issue& issue);
Document boards_document(const SiteData& data);
Document board_document(const SiteData& data, const Board& board);
Document releases_document(const SiteData& data);
Document release_document(const SiteData& data, const Release& release);
Document patchsets_document(const SiteData& data);
Document patchset_document(const SiteData& data, const Patchset& patchset);
/// Says what the squares of the map mean; the map itself is the form's.
Document coverage_document(const SiteData& data);

/// Returns all of them in the order of the list above, neighbours joined.
std::vector<Document> site_documents(const SiteData& data);

/// Returns the variants of a patchset: patches, added files, submodules at another commit.
std::vector<Block> variant_blocks(const Patchset& patchset);
/// Returns what its proofs show, and the outcomes.
std::vector<Block> proof_blocks(const SiteData& data, const Patchset& patchset);
/// Returns where the figures of a release or a board come from.
std::vector<Block> source_blocks(const std::vector<SourceNote>& sources);

}  // namespace torchpatch::report
