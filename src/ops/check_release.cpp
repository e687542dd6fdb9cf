// SPDX-License-Identifier: BSD-3-Clause
#include "ops/check_release.h"

#include <algorithm>
#include <optional>

#include "ops/pinned_state.h"
#include "plan/make_plan.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

using emit::CellStatus;
using emit::CheckCell;

/// Of a fix that is used.
CellStatus status_of(FixKind kind) {
  switch (kind) {
    case FixKind::patch:
      return CellStatus::applied;
    case FixKind::files:
      return CellStatus::files;
    case FixKind::environment:
    case FixKind::post_build:  // a step of the build, no change of the tree
      return CellStatus::environment;
    case FixKind::advice:
      return CellStatus::advice;
  }
  return CellStatus::advice;
}

/// As the plan has it, without looking at sources.
CellStatus planned_status(const IssueDecision& decision) {
  switch (decision.status) {
    case IssueStatus::applied:
      return status_of(decision.kind);
    case IssueStatus::not_affected:
      return CellStatus::not_affected;
    case IssueStatus::undecided:
      return CellStatus::undecided;
    case IssueStatus::declined:  // no fix is used by default: it has to be asked for
      return CellStatus::advice;
    case IssueStatus::uncertified:
      return CellStatus::uncertified;
  }
  return CellStatus::undecided;
}

void settle(CheckCell& cell, CellStatus status, const std::string& reason) {
  cell.status = status;
  cell.reason = reason;
}

void leave_undecided(CheckCell& cell, const std::string& reason, const ObjectId& missing, std::set<ObjectId>& needed) {
  settle(cell, CellStatus::undecided, reason);
  needed.insert(missing);
}

/// Returns the patchset of the fix `chosen`; where none was chosen, of the first that has one and may be used here; or
/// empty text.
std::string patchset_of(const Issue& issue, const std::string& chosen, const Facts& facts) {
  for (const Fix& fix : issue.fixes) {
    const bool is_it = chosen.empty() ? evaluate(fix.when, facts).truth != Truth::no : fix.id == chosen;
    if (is_it && !fix.patchset.empty()) return fix.patchset;
  }
  return {};
}

/// Tells a cell what upstream has, where that settles it.
bool settle_by_upstream(CheckCell& cell, const UpstreamState& state) {
  if (state.kind == UpstreamState::fixed) settle(cell, CellStatus::fixed_upstream, "fixed upstream: " + state.reason);
  if (state.kind == UpstreamState::absent) settle(cell, CellStatus::not_affected, state.reason);
  return state.kind != UpstreamState::unknown;
}

/// The release is out of the issue's range: says why, where the pinned files do.
void check_unaffected(CheckCell& cell, const Issue& issue, const Plan& plan, PinnedState& state) {
  const std::string patchset = patchset_of(issue, cell.fix, plan.facts);
  if (affects(issue, plan.release->version) || patchset.empty() || evaluate(issue.when, plan.facts).truth == Truth::no)
    return;
  const std::string planned = cell.reason;
  if (settle_by_upstream(cell, state.upstream(patchset))) cell.reason = planned + "; " + cell.reason;
}

/// There is no certificate: the patch is tried, and upstream may have made it needless.
void check_uncertified(CheckCell& cell, const Issue& issue, const Plan& plan, PinnedState& state,
                       std::set<ObjectId>& needed) {
  const UpstreamState& upstream = state.upstream(patchset_of(issue, cell.fix, plan.facts));
  if (settle_by_upstream(cell, upstream)) return;
  const Problem problem = state.problem_of(plan, cell.issue);
  if (problem.missing) return leave_undecided(cell, problem.reason, *problem.missing, needed);
  if (problem.failure == patch::Failure::already_applied) {
    return settle(cell, CellStatus::fixed_upstream, "fixed upstream: " + problem.reason);
  }
  if (!problem.reason.empty()) return settle(cell, CellStatus::broken, problem.reason);
  if (upstream.missing) return leave_undecided(cell, upstream.reason, *upstream.missing, needed);
  if (!cell.variant.empty()) cell.reason = "it applies, but " + cell.reason;
}

void check_applied(CheckCell& cell, const Plan& plan, PinnedState& state, std::set<ObjectId>& needed) {
  const Problem problem = state.problem_of(plan, cell.issue);
  if (problem.missing) return leave_undecided(cell, problem.reason, *problem.missing, needed);
  if (!problem.reason.empty()) settle(cell, CellStatus::broken, problem.reason);
}

void check_cell(CheckCell& cell, const IssueDecision& decision, const Issue& issue, const Plan& plan,
                PinnedState& state, std::set<ObjectId>& needed) {
  if (decision.status == IssueStatus::not_affected) check_unaffected(cell, issue, plan, state);
  if (decision.status == IssueStatus::uncertified) check_uncertified(cell, issue, plan, state, needed);
  if (decision.status == IssueStatus::applied && !cell.variant.empty()) check_applied(cell, plan, state, needed);
}

std::optional<Plan> plan_for(const Catalog& catalog, const Release& release, const Board& board, const Image& image) {
  try {
    return plan::make_plan(catalog, release.version.text(), board.id, image.id, {});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;  // usage: this release does not fit this image
    return std::nullopt;
  }
}

}  // namespace

ReleaseCheck check_release(const Catalog& catalog, const Release& release, const std::vector<const Board*>& boards,
                           source::PinnedLookup* lookup) {
  std::optional<PinnedState> state;
  if (lookup) state.emplace(catalog, release, *lookup);
  ReleaseCheck result;
  for (const Board* board : boards) {
    for (const Image& image : board->images) {
      const std::optional<Plan> plan = plan_for(catalog, release, *board, image);
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

}  // namespace torchpatch::ops
