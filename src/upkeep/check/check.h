// SPDX-License-Identifier: BSD-3-Clause
/// check(): every plan of releases, boards and images, with the result for each issue, and patchsets that end too early
/// (find_unexplained_ends). Consists of check_citations(), whether cited places in upstream's sources exist, and
/// PinnedState, whether patches apply to the pinned files or upstream has their result.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/catalog.h"
#include "model/check.h"
#include "source/closure/object_source.h"
#include "source/closure/pinned_lookup.h"
#include "support/console.h"
#include "support/error.h"
#include "trees/prepare/patch_chains.h"

namespace torchpatch::upkeep {

struct CheckOptions {
  std::vector<std::string> releases;  ///< empty = all of the catalog
  std::vector<std::string> boards;    ///< ids or aliases; empty = all
  int jobs = 1;
};

/// Checks the form of every patch, and release by release, in worker processes: plans every matching image of the
/// boards; with `source` (the pinned files), applies each chain of patches once, and checks what upstream has. Raises
/// usage for unknown names; source if objects are damaged.
CheckReport check(const Catalog& catalog, source::ObjectSource* source, const CheckOptions& options, Console& console);

/// Returns the first issue that a patchset fixes and that affects both releases, by its ranges, and by its condition as
/// far as the release alone decides it; or null.
const Issue* issue_that_goes_on(const Catalog& catalog, const std::string& patchset, const Version& from,
                                const Version& to);

/// Returns a finding for each variant without a reason in `ends` if none covers the next release of the catalog,
/// although an issue that the patchset fixes affects both.
std::vector<Finding> find_unexplained_ends(const Catalog& catalog);

/// Returns a finding for each release that a variant is certified for, and that an issue of its patchset affects, if no
/// fix of the patchset has a condition that allows the release: plans would never use the variant.
std::vector<Finding> find_unselected_variants(const Catalog& catalog);

/// Returns a finding for each advisory that has not been judged for a release of the catalog, except stand-ins.
std::vector<Finding> find_unjudged(const Catalog& catalog);

/// Returns a finding for each source of a board that is only someone's knowledge.
std::vector<Finding> find_unsourced(const Catalog& catalog);

/// A parsed "vision:setup.py".
struct CitedFile {
  RepositoryPath repository;  ///< relative to that, possibly through submodules
  std::string path;           ///< from there, perhaps through submodules
  auto operator<=>(const CitedFile&) const = default;
};
CitedFile parse_cited_file(const std::string& text);
std::string cited_file_text(const CitedFile& file);

/// A parsed "vision:setup.py:97".
struct CitedPlace {
  CitedFile file;
  std::size_t line = 0;
};
CitedPlace parse_cited_place(const std::string& text);

/// Returns the content of a file of the release, or null. Raises as PinnedLookup.
const std::string* find_cited_file(const Release& release, const CitedFile& file, source::PinnedLookup& lookup);

/// Returns where a file (null: it does not exist) contains what an absence says it lacks, or empty text.
std::string absence_problem(const std::string* text, const std::string& words);

/// Checks every place in `release` cited by a release, page or board. Raises as PinnedLookup, except for missing
/// objects.
CitationCheck check_citations(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup);

void add(CitationCheck& sum, CitationCheck part);

/// Returns whether the line contains `word`, not next to another letter, digit or '_'.
bool has_word(std::string_view line, std::string_view word);

/// Returns whether a line reads a variable: by its name, by its quoted rest if a program adds a NO_, USE_ or WITH_, by
/// its quoted prefix ('CMAKE_'), or by what implies it according to `table`.
bool line_reads(std::string_view line, const std::string& variable, const VariableTable& table);

/// What the pinned files show about a patchset or the chains of a plan.
struct PinnedVerdict {
  /// Nothing: nothing shown, or no problem. For a patchset fixed_upstream: every file that a variant changes equals its
  /// last patch's result in some certificate; not_affected: no file that any variant changes exists. For chains
  /// fixed_upstream: everything that a patch makes exists already; broken: any other problem.
  std::optional<CellStatus> status;
  std::string reason;               ///< in words, with path and blob id
  std::optional<ObjectId> missing;  ///< undecided because this commit is not available
};

/// Answers questions about the pinned files, each once.
class PinnedState {
 public:
  /// All arguments must outlive this.
  PinnedState(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup)
      : catalog_(catalog), release_(release), lookup_(lookup) {}

  /// Returns the first problem of the chains of `plan` with a patch for `issue`, and of the files it adds.
  PinnedVerdict problem_of(const Plan& plan, const std::string& issue);
  /// Returns what upstream has of a patchset; undecided if an object is not available.
  const PinnedVerdict& upstream(const std::string& patchset);

 private:
  /// The overrides of a chain, its patches, and whether each has edges.
  using ChainKey =
      std::tuple<RepositoryPath, std::vector<SubmoduleOverride>, std::vector<std::pair<const Patch*, bool>>>;

  const std::vector<trees::PatchChain>& chains_of(const Plan& plan);
  const PinnedVerdict& chain_problem(const trees::PatchChain& chain);
  PinnedVerdict apply(const trees::PatchChain& chain);
  PinnedVerdict added_problem(const PlannedFile& planned, const std::vector<SubmoduleOverride>& overrides);
  std::string known_releases(const trees::PatchChain& chain, const std::string& path) const;
  std::string namesakes(const trees::PatchChain& chain, const std::string& path);

  const Catalog& catalog_;
  const Release& release_;
  source::PinnedLookup& lookup_;
  trees::PatchMeetings meetings_;
  std::map<Sha256, std::vector<trees::PatchChain>> chains_;  ///< of the plans, by digest
  std::map<ChainKey, PinnedVerdict> problems_;
  std::map<std::string, PinnedVerdict> upstream_;
};

/// Returns "; upstream changed it in 14dcdc4c35b2 (its subject)" for a chain whose patch does not fit a file of the
/// release: the first commit that it does not fit, from the nearest release whose file it was made for. Empty if no
/// such release, or the history in between, is available.
std::string upstream_change_text(const Catalog& catalog, const Release& release, const trees::PatchChain& chain,
                                 const trees::ChainOutcome& outcome, source::PinnedLookup& lookup);

}  // namespace torchpatch::upkeep
