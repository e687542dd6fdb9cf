// SPDX-License-Identifier: BSD-3-Clause
/// The documents of the site, independent of their format, and shared wording (internal).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "document/document.h"
#include "report/site/site.h"
#include "report/words.h"

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
/// Explains the squares of the map, and lists our runs; the map itself is added by each format.
Document coverage_document(const SiteData& data);

/// Returns all of them in the order above, with links to their neighbours.
std::vector<Document> site_documents(const SiteData& data);

/// Returns the variants of a patchset: patches, added files, submodules at another commit.
std::vector<Block> variant_blocks(const Patchset& patchset);
/// Returns what to do about an issue, one line per fix: who does it, what, for which releases and where.
std::vector<Block> what_to_do_blocks(const Catalog& catalog, const Issue& issue);
/// Returns the affected releases of the catalog, and whether later ones would be.
std::string affected_words(const Catalog& catalog, const Issue& issue);
/// Returns a section of an issue's page with its own heading; nothing if the page does not have it.
std::vector<Block> section_blocks(const Issue& issue, const std::string& name);
/// Returns what its proofs show, with their outcomes.
std::vector<Block> proof_blocks(const SiteData& data, const Patchset& patchset);
/// Returns the sources of a release's or board's figures.
std::vector<Block> source_blocks(const std::vector<SourceNote>& sources);

// Shared wording.

/// The releases of a catalog, oldest first.
using Releases = std::vector<const Release*>;
Releases releases_of(const Catalog& catalog);

/// Returns "1.0.0 to 1.2.0, 1.4.0": runs of consecutive releases of the catalog; "every release" for all. `chosen` has
/// a flag for each release.
std::string release_runs(const Releases& releases, const std::vector<bool>& chosen);

/// Returns "1.0.0 to 1.2.0" for the releases from index `first` to `last`.
std::string release_run(const Releases& releases, std::size_t first, std::size_t last);

/// Returns "patch T2", "environment", "advice", "not affected", ….
std::string answer_words(const IssueDecision& answer);
Tone answer_tone(const IssueDecision& answer);

/// Severities, most severe first, with words and tone.
struct Severity {
  std::string id;       ///< as in data files
  std::string words;    ///< of one issue: "build failure"
  std::string heading;  ///< of several
  Tone tone;
};
const std::vector<Severity>& severities();
/// Returns the index of an issue's severity among them.
std::size_t severity_rank(const Issue& issue);
/// Returns all issues, most severe first, then by title.
std::vector<const Issue*> issues_by_severity(const Catalog& catalog);
Inline severity_tag(const Issue& issue);

Inline issue_link(const Issue& issue);  ///< by its title
Inline issue_id_link(const std::string& id);
Inline board_link(const std::string& id);
Inline board_link(const Board& board);  ///< by its title
Inline release_link(const std::string& version);
Inline patchset_link(const std::string& id);

/// Returns NAME=VALUE, NAME=VALUE.
Line settings_line(const std::vector<std::pair<std::string, std::string>>& settings);
Cell cell(std::string words);
Cell cell(Line line, Tone tone = Tone::none);

// The plan for a release and board, in words.

/// Returns the variables that a plan sets for an issue: "`USE_NCCL=0`", ….
Line settings_for(const Plan& plan, const std::string& issue);

/// Returns whether prepare changes the tree for the issue.
bool changes_tree(const IssueDecision& decision);
/// Returns the heading under which the pages list a board.
std::string vendor_words(const Board& board);
/// Returns "numerics passed, 2026-11-25 (12 results compared)".
std::string evidence_words(const BuildEvidence& evidence);

/// Returns the issues whose patches or added files change the tree, as links with their variants.
std::vector<Line> tree_changes(const Plan& plan);

/// Returns the plan if no image is named, or null if none matches the release.
const Plan* plan_for(const SiteData& data, const Release& release, const std::string& board);

/// An image and a release, as indices into data.targets and data.releases.
struct Pick {
  std::size_t target, release;
};
/// Returns whether the release matches the image: then every issue has an answer.
bool fits(const SiteData& data, const Pick& pick);
/// Returns whether prepare accepts the pair without further options: not a pre-release, and every patch is certified.
bool is_ready(const SiteData& data, const Pick& pick);
/// Returns whether prepare uses this image if none is named.
bool is_default(const SiteData& data, const Pick& pick);
/// Returns "torchpatch prepare --version …", with the image if it is not the default; `more` is appended.
std::string prepare_command(const SiteData& data, const Pick& pick, const std::string& more = "");

/// Returns the reasons why release and board do not match, without the release's name.
std::string misfit_words(const SiteData& data, const Release& release, const std::string& board);

// The result for one issue on all boards, in a compact table.

/// Returns a table: images with equal answers share a row, consecutive releases with equal answers a column. Images
/// unaffected in every release are omitted. No rows: the issue applies nowhere.
Table answer_table(const SiteData& data, const std::string& issue);

/// Returns the images in words: "tx1, tx2 (jetpack-3.2, jetpack-3.3), every image of …"; only the id for a board with
/// all its images that match any release.
Line target_words(const SiteData& data, const std::vector<std::size_t>& targets);

}  // namespace torchpatch::report
