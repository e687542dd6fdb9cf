// SPDX-License-Identifier: BSD-3-Clause
/// check(): every plan of releases, boards and images, what becomes of each issue there, and patchsets that end too
/// early (find_unexplained_ends). It is made of check_citations(), whether what the catalog cites of upstream's sources
/// stands there, and PinnedState, whether patches apply to the pinned files and upstream has what they make.
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

/// Checks the form of every patch, and release by release, in worker processes: plans every image of the boards that
/// fits it; with `source`, where the pinned files come from, applies each chain of patches once to them, and looks what
/// upstream has. Raises usage for a name that the catalog does not know; source where objects are damaged.
CheckReport check(const Catalog& catalog, source::ObjectSource* source, const CheckOptions& options, Console& console);

/// Returns the first issue that a patchset answers and that affects both releases, by its ranges and by its condition
/// as far as the release alone decides that; or null.
const Issue* issue_that_goes_on(const Catalog& catalog, const std::string& patchset, const Version& from,
                                const Version& to);

/// Returns a finding for each variant without a reason in `ends` that is made for a release, while none is for the next
/// release of the catalog, although an issue that the patchset answers affects both.
std::vector<Finding> find_unexplained_ends(const Catalog& catalog);

/// Returns a finding for each release that a variant is certified for, and that an issue of its patchset affects, while
/// no fix of the patchset has a condition that allows the release: plans would never use the variant.
std::vector<Finding> find_unselected_variants(const Catalog& catalog);

/// Returns a finding for each advisory that nobody has judged for a release of the catalog; what stands in for upstream
/// is left out.
std::vector<Finding> find_unjudged(const Catalog& catalog);

/// Returns a finding for each source of a board that only says that somebody knew it.
std::vector<Finding> find_unsourced(const Catalog& catalog);

/// "vision:setup.py" in parts.
struct CitedFile {
  RepositoryPath repository;  ///< of a component
  std::string path;           ///< from there, perhaps through submodules
  auto operator<=>(const CitedFile&) const = default;
};
CitedFile parse_cited_file(const std::string& text);
std::string cited_file_text(const CitedFile& file);

/// "vision:setup.py:97" in parts.
struct CitedPlace {
  CitedFile file;
  std::size_t line = 0;
};
CitedPlace parse_cited_place(const std::string& text);

/// Returns the content of a file of the release, null where there is none. Raises as PinnedLookup.
const std::string* find_cited_file(const Release& release, const CitedFile& file, source::PinnedLookup& lookup);

/// Returns where a file (null: there is none) has what an absence says that it has not, or empty text.
std::string absence_problem(const std::string* text, const std::string& words);

/// Looks at every place of `release` that a release, page or board cites. Raises as PinnedLookup, but for objects that
/// are nowhere.
CitationCheck check_citations(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup);

/// Adds up two.
void add(CitationCheck& sum, CitationCheck part);

/// Returns whether `word` stands in the line, and no other letter, digit or '_' touches it.
bool has_word(std::string_view line, std::string_view word);

/// Returns whether a line reads a variable: by its name, by its rest in quotes behind a NO_, USE_ or WITH_ that a
/// program puts before it, by its beginning in quotes ('CMAKE_'), or by what `table` says that implies it.
bool line_reads(std::string_view line, const std::string& variable, const VariableTable& table);

/// What the pinned files say of a patchset or of the chains of a plan.
struct PinnedVerdict {
  /// Nothing: they say nothing, or nothing is wrong. Of a patchset fixed_upstream: every file that a variant changes is
  /// what some certificate says that its last patch makes of it; not_affected: no file that any variant changes is
  /// there. Of chains fixed_upstream: all that a patch makes is there already; broken: something else is wrong.
  std::optional<CellStatus> status;
  std::string reason;               ///< in words, with path and blob id
  std::optional<ObjectId> missing;  ///< undecided, since this commit is nowhere
};

/// Answers each question once.
class PinnedState {
 public:
  /// All must outlive this.
  PinnedState(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup)
      : catalog_(catalog), release_(release), lookup_(lookup) {}

  /// Returns the first problem of the chains of `plan` that hold a patch for `issue`, and of the files it adds.
  PinnedVerdict problem_of(const Plan& plan, const std::string& issue);
  /// Returns what upstream has of a patchset; undecided where an object is nowhere.
  const PinnedVerdict& upstream(const std::string& patchset);

 private:
  /// The overrides of a chain, its patches, and whether each comes with edges.
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
/// release: the first commit that it does not fit, on the way from the nearest release whose file it was made for.
/// Nothing where no such release, or not the history in between, is available.
std::string upstream_change_text(const Catalog& catalog, const Release& release, const trees::PatchChain& chain,
                                 const trees::ChainOutcome& outcome, source::PinnedLookup& lookup);

}  // namespace torchpatch::upkeep
