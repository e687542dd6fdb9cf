// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/check/check.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>

#include "model/proof.h"
#include "patch/patch_file.h"
#include "patch/review.h"
#include "plan/make_plan.h"
#include "source/closure/closure.h"
#include "support/fields.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"
#include "upkeep/certify/certify.h"

namespace torchpatch::upkeep {

namespace {

/// The cells of one release: the result of each issue on each board and image.
struct ReleaseCheck {
  std::vector<CheckCell> cells;  ///< by board, image and issue
  std::set<ObjectId> needed;     ///< missing commits that make cells undecided
  CitationCheck citations;
};
FIELDS(ReleaseCheck, cells, needed, citations)

/// For a fix in use, indexed by FixKind. A step after the build does not change the tree.
constexpr std::array<CellStatus, 5> kOfFix = {CellStatus::applied, CellStatus::environment, CellStatus::files,
                                              CellStatus::environment, CellStatus::advice};
/// Indexed by IssueStatus. If no fix is used by default, the user has to request one.
constexpr std::array<CellStatus, 5> kOfIssue = {CellStatus::applied, CellStatus::not_affected, CellStatus::undecided,
                                                CellStatus::advice, CellStatus::uncertified};

/// The status by the plan alone, without sources.
CellStatus planned_status(const IssueDecision& decision) {
  if (decision.status == IssueStatus::applied) return kOfFix[static_cast<std::size_t>(decision.kind)];
  return kOfIssue[static_cast<std::size_t>(decision.status)];
}

void settle(CheckCell& cell, CellStatus status, const std::string& reason) {
  cell.status = status;
  cell.reason = reason;
}

void leave_undecided(CheckCell& cell, const std::string& reason, const ObjectId& missing, std::set<ObjectId>& needed) {
  settle(cell, CellStatus::undecided, reason);
  needed.insert(missing);
}

/// Returns the patchset of the fix `chosen`; if none was chosen, of the first usable fix with one; or empty text.
std::string patchset_of(const Issue& issue, const std::string& chosen, const Facts& facts) {
  for (const Fix& fix : issue.fixes) {
    const bool is_it = chosen.empty() ? evaluate(fix.when, facts).truth != Truth::no : fix.id == chosen;
    if (is_it && !fix.patchset.empty()) return fix.patchset;
  }
  return {};
}

/// Sets a cell from upstream's state, if that decides it; returns whether it does.
bool settle_by_upstream(CheckCell& cell, const PinnedVerdict& upstream) {
  const bool is_fixed = upstream.status == CellStatus::fixed_upstream;
  if (!is_fixed && upstream.status != CellStatus::not_affected) return false;
  settle(cell, *upstream.status, (is_fixed ? "fixed upstream: " : "") + upstream.reason);
  return true;
}

/// For a release outside the issue's range: sets the reason if the pinned files show one.
void check_unaffected(CheckCell& cell, const Issue& issue, const Plan& plan, PinnedState& state) {
  const std::string patchset = patchset_of(issue, cell.fix, plan.facts);
  if (affects(issue, plan.release->version) || patchset.empty() || evaluate(issue.when, plan.facts).truth == Truth::no)
    return;
  const std::string planned = cell.reason;
  if (settle_by_upstream(cell, state.upstream(patchset))) cell.reason = planned + "; " + cell.reason;
}

/// For an uncertified fix: tries the patch, unless upstream made it unnecessary.
void check_uncertified(CheckCell& cell, const Issue& issue, const Plan& plan, PinnedState& state,
                       std::set<ObjectId>& needed) {
  const PinnedVerdict& upstream = state.upstream(patchset_of(issue, cell.fix, plan.facts));
  if (settle_by_upstream(cell, upstream)) return;
  const PinnedVerdict problem = state.problem_of(plan, cell.issue);
  if (problem.missing) return leave_undecided(cell, problem.reason, *problem.missing, needed);
  if (problem.status == CellStatus::fixed_upstream)
    return settle(cell, CellStatus::fixed_upstream, "fixed upstream: " + problem.reason);
  if (!problem.reason.empty()) return settle(cell, CellStatus::broken, problem.reason);
  if (upstream.missing) return leave_undecided(cell, upstream.reason, *upstream.missing, needed);
  if (!cell.variant.empty()) cell.reason = "applies, but " + cell.reason;
}

void check_cell(CheckCell& cell, const IssueDecision& decision, const Issue& issue, const Plan& plan,
                PinnedState& state, std::set<ObjectId>& needed) {
  if (decision.status == IssueStatus::not_affected) check_unaffected(cell, issue, plan, state);
  if (decision.status == IssueStatus::uncertified) check_uncertified(cell, issue, plan, state, needed);
  if (decision.status != IssueStatus::applied || cell.variant.empty()) return;
  const PinnedVerdict problem = state.problem_of(plan, cell.issue);
  if (problem.missing) return leave_undecided(cell, problem.reason, *problem.missing, needed);
  if (!problem.reason.empty()) settle(cell, CellStatus::broken, problem.reason);
}

std::vector<Finding> lint_patches(const Catalog& catalog) {
  Findings findings;
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      for (const Patch& patch : variant.patches) {
        const std::string file = concat(patchset_path(id), "/", patch.file);
        try {
          for (const patch::LintFinding& finding : patch::lint_patch(patch::parse_patch(patch.text, patch.file)))
            findings.add(file, finding.line, "", finding.message);
        } catch (const Error& error) {
          findings.add(file, 0, "", error.message());
        }
      }
    }
  }
  return findings.list();
}

/// Judges by its ranges, and by its condition as far as the release alone decides it.
bool may_affect(const Issue& issue, const Version& release) {
  return affects(issue, release) && evaluate(issue.when, {{"release", release}}).truth != Truth::no;
}

/// Returns the open work on a release, except what its closure lacks.
LeftToDo left_to_do(const Catalog& catalog, const Release& release) {
  LeftToDo left{.release = release.version.text()};
  for (const SourceNote& note : release.sources)
    if (!note.verified) left.sources.push_back(join(note.keys, ", "));
  const auto holds = [&](const auto& each) { return each.releases.contains(release.version); };
  for (const auto& entry : catalog.patchsets) {
    const Patchset& patchset = entry.second;
    const bool is_open = std::ranges::any_of(patchset.variants, holds) &&
                         std::ranges::none_of(patchset.proof.proofs, holds) &&
                         std::ranges::none_of(patchset.proof.unproven, holds);
    if (is_open) left.patchsets.push_back(patchset.id);
    const auto is_fixed_by_it = [&](const auto& issue) {
      return std::ranges::count(issue.second.fixes, patchset.id, &Fix::patchset) > 0 &&
             may_affect(issue.second, release.version);
    };
    if (!variant_made_for(patchset, release.version) && std::ranges::any_of(catalog.issues, is_fixed_by_it))
      left.unported.push_back(patchset.id);
  }
  return left;
}

/// Adds a finding for each component whose recorded submodules differ from its closure, as far as available.
void check_submodules(const std::vector<const Release*>& releases, source::ClosureSurvey& survey,
                      std::vector<Finding>& findings) {
  std::set<std::pair<std::size_t, Component>> partial;
  for (const source::IncompleteCommit& lack : survey.incomplete)
    partial.emplace(lack.release, lack.pin.repository.path.component);
  for (std::size_t i = 0; i < releases.size(); ++i) {
    for (const auto& [component, pin] : releases[i]->components) {
      const std::set<SubmodulePin>&known = pin.submodules, &found = survey.submodules[i][component];
      const bool agrees = partial.contains({i, component}) ? std::ranges::includes(known, found) : known == found;
      if (known.empty() || agrees) continue;
      const std::string version = releases[i]->version.text();
      findings.push_back({concat("results/", version, ".json"), 0, concat("submodules.", pin.commit.hex()),
                          concat("these submodules differ from those of ", name_of(component),
                                 "; update them with 'results record --version ", version, "'")});
    }
  }
}

/// Plans every matching image of the boards; with `lookup`, applies each chain of patches once to the pinned files, and
/// checks what upstream has. Raises as PinnedLookup, except for missing objects.
ReleaseCheck check_release(const Catalog& catalog, const Release& release, const std::vector<const Board*>& boards,
                           source::PinnedLookup* lookup) {
  std::optional<PinnedState> state;
  if (lookup) state.emplace(catalog, release, *lookup);
  ReleaseCheck result;
  if (lookup) result.citations = check_citations(catalog, release, *lookup);
  for (const Board* board : boards) {
    for (const Image& image : board->images) {
      const std::optional<Plan> plan = plan::plan_if_fits(catalog, release, *board, image);
      if (!plan) continue;
      for (const IssueDecision& decision : plan->issues) {
        CheckCell& cell = result.cells.emplace_back(CheckCell{release.version.text(), board->id, image.id,
                                                              decision.issue, planned_status(decision), decision.fix,
                                                              decision.variant, decision.reason});
        if (state) check_cell(cell, decision, catalog.issues.at(decision.issue), *plan, *state, result.needed);
      }
    }
  }
  return result;
}

/// Returns whether each patch of a variant has a certificate for the release, by commit or by content.
bool is_certified_for(const Patchset& patchset, const Variant& variant, const Release& release) {
  return std::ranges::all_of(variant.patches, [&](const Patch& patch) {
    const ComponentPin* const pin = release.find(patch.repository.component);
    return pin && std::ranges::any_of(patchset.certificates, [&](const CertificateEdge& edge) {
             return edge.patch == patch.sha256 &&
                    (edge.commit == pin->commit || (pin->content && edge.commit == pin->content->commit));
           });
  });
}

void find_ends(const Catalog& catalog, const Patchset& patchset, Findings& findings) {
  for (auto release = catalog.releases.begin(); release != catalog.releases.end(); ++release) {
    const auto next = std::next(release);
    if (next == catalog.releases.end()) return;
    const Variant* const variant = variant_made_for(patchset, release->first);
    if (!variant || !variant->ends.empty() || variant_made_for(patchset, next->first)) continue;
    const Issue* const issue = issue_that_goes_on(catalog, patchset.id, release->first, next->first);
    if (!issue) continue;
    const auto index = static_cast<std::size_t>(variant - patchset.variants.data());
    findings.add(
        concat("patchsets/", patchset.id, "/patchset.json"), 0, concat("variants[", index, "].releases"),
        concat("variant ", quote(variant->id), " is for ", release->first.text(), " and none for ", next->first.text(),
               ", although issue ", quote(issue->id), " affects it: add a variant for it ('torchpatch port ",
               next->first.text(), "'), or explain in 'ends' why there is none"));
  }
}

}  // namespace

CheckReport check(const Catalog& catalog, source::ObjectSource* source, const CheckOptions& options, Console& console) {
  const std::vector<const Release*> releases = chosen_releases(catalog, options.releases);
  std::set<const Board*> named;
  for (const std::string& name : options.boards) named.insert(&catalog.board(name));
  std::vector<const Board*> boards;
  for (const auto& [id, board] : catalog.boards)
    if (named.empty() || named.contains(&board)) boards.push_back(&board);
  const auto cells_of = [&](std::size_t item, source::PinnedLookup* lookup) {
    return to_wire(check_release(catalog, *releases[item], boards, lookup));
  };

  CheckReport report;
  report.has_sources = source != nullptr;
  report.findings = lint_patches(catalog);
  std::ranges::move(find_unexplained_ends(catalog), std::back_inserter(report.findings));
  std::ranges::move(find_unselected_variants(catalog), std::back_inserter(report.findings));
  std::ranges::move(find_unjudged(catalog), std::back_inserter(report.findings));
  std::ranges::move(find_unsourced(catalog), std::back_inserter(report.findings));
  for (const Release* release : releases) report.releases.push_back(release->version.text());
  for (const Board* board : boards) report.boards.push_back(board->id);
  const std::vector<source::LookupResult> results =
      source ? source::run_lookups(
                   releases.size(), [&](auto& lookup, std::size_t item) { return cells_of(item, &lookup); },
                   catalog.moved_repositories, *source, options.jobs, console)
             : map_in_workers(
                   releases.size(), options.jobs,
                   [&](std::size_t item) {
                     return source::LookupResult{cells_of(item, nullptr), {}, {}};
                   },
                   [&](std::size_t item) { return "planning for the boards of " + report.releases[item]; });
  source::ClosureSurvey survey;
  if (source) survey = source::survey_closures(releases, catalog.moved_repositories, *source, options.jobs, console);
  if (source) check_submodules(releases, survey, report.findings);
  std::set<std::pair<std::size_t, ObjectId>> told, partial;  // missing commits, once per release
  for (const source::IncompleteCommit& lack : survey.incomplete)
    if (lack.has_commit) partial.emplace(lack.release, lack.pin.repository.commit);
  for (std::size_t i = 0; i < results.size(); ++i) {
    ReleaseCheck checked = from_wire<ReleaseCheck>(results[i].bytes);
    std::move(checked.cells.begin(), checked.cells.end(), std::back_inserter(report.cells));
    add(report.citations, std::move(checked.citations));
    for (const source::MissingPin& pin : results[i].missing) {
      if (!checked.needed.contains(pin.repository.commit)) continue;
      report.missing.push_back(
          {report.releases[i], source::missing_text(pin), partial.contains({i, pin.repository.commit})});
      told.emplace(i, pin.repository.commit);
    }
  }
  for (const source::IncompleteCommit& lack : survey.incomplete)  // after those already listed
    if (told.emplace(lack.release, lack.pin.repository.commit).second)
      report.missing.push_back({report.releases[lack.release], source::missing_text(lack.pin), lack.has_commit});
  const auto place = [&](const MissingCommit& missing) { return std::ranges::find(report.releases, missing.release); };
  std::ranges::stable_sort(report.missing, {}, place);
  if (!options.releases.empty()) {
    for (const Release* release : releases)
      if (const LeftToDo left = left_to_do(catalog, *release); !left.sources.empty() || !left.patchsets.empty())
        report.left.push_back(left);
  }
  return report;
}

const Issue* issue_that_goes_on(const Catalog& catalog, const std::string& patchset, const Version& from,
                                const Version& to) {
  for (const auto& [id, issue] : catalog.issues) {
    const bool is_answered = std::ranges::count(issue.fixes, patchset, &Fix::patchset) > 0;
    if (is_answered && may_affect(issue, from) && may_affect(issue, to)) return &issue;
  }
  return nullptr;
}

std::vector<Finding> find_unexplained_ends(const Catalog& catalog) {
  Findings findings;
  for (const auto& [id, patchset] : catalog.patchsets) find_ends(catalog, patchset, findings);
  return findings.list();
}

std::vector<Finding> find_unselected_variants(const Catalog& catalog) {
  Findings findings;
  for (const auto& [version, release] : catalog.releases) {
    for (const auto& [id, patchset] : catalog.patchsets) {
      const Variant* const variant = variant_made_for(patchset, version);
      if (!variant || !is_certified_for(patchset, *variant, release)) continue;
      const Issue* affected = nullptr;
      bool is_selected = false;
      for (const auto& [issue_id, issue] : catalog.issues) {
        for (const Fix& fix : issue.fixes) {
          if (fix.patchset != id || !may_affect(issue, version)) continue;
          if (!affected) affected = &issue;
          is_selected |= evaluate(fix.when, {{"release", version}}).truth != Truth::no;
        }
      }
      if (!affected || is_selected) continue;
      findings.add(
          concat("patchsets/", id, "/patchset.json"), 0,
          concat("variants[", variant - patchset.variants.data(), "].releases"),
          concat("variant ", quote(variant->id), " is for ", version.text(),
                 ", but no fix selects it there: widen 'when' of a fix in known_issues/", affected->id, ".md"));
    }
  }
  return findings.list();
}

std::vector<Finding> find_unjudged(const Catalog& catalog) {
  Findings findings;
  for (const auto& [id, advisory] : catalog.advisories) {
    const std::string unjudged = releases_where(catalog, [&advisory = advisory](const Release& release) {
      return !release.stand_in && release.find(advisory.about.repository.component) &&
             !advisory.judged.contains(release.version);
    });
    if (!unjudged.empty()) findings.add("advisories.json", 0, id, concat("is not judged for ", unjudged));
  }
  return findings.list();
}

std::vector<Finding> find_unsourced(const Catalog& catalog) {
  Findings findings;
  for (const auto& [id, board] : catalog.boards)
    for (const SourceNote& note : board.sources)
      for (const char* words : {"general knowledge", "common knowledge", "from memory"})
        if (note.source.find(words) != std::string::npos)
          findings.add(
              concat("boards/", id, ".json"), 0, concat("sources: ", note.keys.front()),
              concat(quote(words), " is not a source: give one that others can read, or write 'not looked up'"));
  return findings.list();
}

}  // namespace torchpatch::upkeep
