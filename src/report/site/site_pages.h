// SPDX-License-Identifier: BSD-3-Clause
/// The pages, apart from their form, and how they name things (internal).
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
/// Says what the squares of the map mean, and what was run; the map itself is the form's.
Document coverage_document(const SiteData& data);

/// Returns all of them in the order of the list above, neighbours joined.
std::vector<Document> site_documents(const SiteData& data);

/// Returns the variants of a patchset: patches, added files, submodules at another commit.
std::vector<Block> variant_blocks(const Patchset& patchset);
/// Returns what to do about an issue, a line a fix: who does it, what, for which releases and where.
std::vector<Block> what_to_do_blocks(const Catalog& catalog, const Issue& issue);
/// Returns the releases of the catalog that are affected, and whether later ones would be.
std::string affected_words(const Catalog& catalog, const Issue& issue);
/// Returns a section of an issue's page below a heading of its own; nothing where the page has none.
std::vector<Block> section_blocks(const Issue& issue, const std::string& name);
/// Returns what its proofs show, and the outcomes.
std::vector<Block> proof_blocks(const SiteData& data, const Patchset& patchset);
/// Returns where the figures of a release or a board come from.
std::vector<Block> source_blocks(const std::vector<SourceNote>& sources);

// How the pages name things.

/// The releases of a catalog, oldest first.
using Releases = std::vector<const Release*>;
Releases releases_of(const Catalog& catalog);

/// Returns "1.0.0 to 1.2.0, 1.4.0": runs of releases that follow each other in the catalog; "every release" for all.
/// `chosen` has a flag for each release.
std::string release_runs(const Releases& releases, const std::vector<bool>& chosen);

/// Returns "1.0.0 to 1.2.0" for the releases from index `first` to `last`.
std::string release_run(const Releases& releases, std::size_t first, std::size_t last);

/// Returns "patch T2", "environment", "advice", "not affected", ….
std::string answer_words(const IssueDecision& answer);
Tone answer_tone(const IssueDecision& answer);

/// Severities, the gravest first; each with the words for it and its tone.
struct Severity {
  std::string id;       ///< as in data files
  std::string words;    ///< of one issue: "build failure"
  std::string heading;  ///< of many
  Tone tone;
};
const std::vector<Severity>& severities();
/// Returns the place of an issue's severity among them.
std::size_t severity_rank(const Issue& issue);
/// Returns all issues, the gravest first, then by title.
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

// What prepare does for a release and a board, in words.

/// Returns the variables that a plan sets for an issue: "`USE_NCCL=0`", ….
Line settings_for(const Plan& plan, const std::string& issue);

/// Returns whether prepare changes the tree for the issue.
bool changes_tree(const IssueDecision& decision);
/// Returns the group in which the pages show a board.
std::string vendor_words(const Board& board);
/// Returns "numerics passed, 2026-11-25 (12 results compared)".
std::string evidence_words(const BuildEvidence& evidence);

/// Returns the issues whose patches or added files change the tree, as links with their variants.
std::vector<Line> tree_changes(const Plan& plan);

/// Returns the plan where no image is named, or null where none goes with the release.
const Plan* plan_for(const SiteData& data, const Release& release, const std::string& board);

/// An image and a release, as indexes of data.targets and data.releases.
struct Pick {
  std::size_t target, release;
};
/// Returns whether the release goes with the image: then every issue has an answer.
bool fits(const SiteData& data, const Pick& pick);
/// Returns whether prepare takes the pair as it is: no pre-release, and a certificate for every patch.
bool is_ready(const SiteData& data, const Pick& pick);
/// Returns whether prepare takes this image if none is named.
bool is_default(const SiteData& data, const Pick& pick);
/// Returns "torchpatch prepare --version …"; an image is named if it is not the default, `more` are further words.
std::string prepare_command(const SiteData& data, const Pick& pick, const std::string& more = "");

/// Returns the reasons why release and board do not go together, without the release's name.
std::string misfit_words(const SiteData& data, const Release& release, const std::string& board);

// What becomes of one issue on all boards, in few rows and columns.

/// Returns a table: images of boards that get the same answers make a row, releases that follow each other with the
/// same answers a column. Images whose every release is unaffected are not in it. No rows: the issue applies nowhere.
Table answer_table(const SiteData& data, const std::string& issue);

/// Returns the images in words: "tx1, tx2 (jetpack-3.2, jetpack-3.3), every image of …"; a board of which all images
/// that go with any release are there goes by its id alone.
Line target_words(const SiteData& data, const std::vector<std::size_t>& targets);

}  // namespace torchpatch::report
