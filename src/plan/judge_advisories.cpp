// SPDX-License-Identifier: BSD-3-Clause
#include "plan/judge_advisories.h"

#include <algorithm>

#include "support/find.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

bool is_cited(const Citations& citations, const Version& release) {
  const auto is_of = [&](const Citation& each) { return each.release == release.text(); };
  return std::ranges::any_of(citations.present, is_of) || std::ranges::any_of(citations.absent, is_of);
}

/// Returns "release 1.1.0 is in <1.13.1".
std::string range_text(const Advisory& advisory, const Version& release) {
  return concat("release ", release.text(), affects(advisory, release) ? " is in " : " is not in ",
                join(collect(advisory.affected, &VersionRange::text), " or "));
}

std::string why_not_affected(const Advisory& advisory, const Version& release) {
  const std::optional<Version>& fixed_in = advisory.about.fixed_in;
  return fixed_in && *fixed_in <= release ? "fixed in " + fixed_in->text() : range_text(advisory, release);
}

void settle_status(AdvisoryDecision& decision, AdvisoryStatus status, std::string reason) {
  decision.status = status;
  decision.reason = std::move(reason);
}

AdvisoryDecision judge_advisory(const Advisory& advisory, const Plan& plan) {
  const Version& release = plan.release->version;
  AdvisoryDecision decision{
      .about = advisory.about, .reason = {}, .is_verified = is_cited(advisory.citations, release)};
  const Verdict verdict = evaluate(advisory.when, plan.facts);
  const IssueDecision* const patched = find_where(plan.issues, [&](const IssueDecision& each) {
    return each.issue == advisory.about.issue && each.status == IssueStatus::applied && each.kind == FixKind::patch;
  });
  if (plan.release->stand_in) {
    decision.is_verified = true;
    settle_status(decision, AdvisoryStatus::not_affected, "it stands in for upstream and contains none of its code");
  } else if (!advisory.judged.contains(release)) {
    settle_status(decision, AdvisoryStatus::unjudged, "not yet judged for release " + release.text());
  } else if (!affects(advisory, release)) {
    settle_status(decision, AdvisoryStatus::not_affected, why_not_affected(advisory, release));
    for (const AdvisoryNote& note : advisory.notes)
      if (note.releases.contains(release)) decision.note = note.text;
  } else if (verdict.truth == Truth::no) {
    settle_status(decision, AdvisoryStatus::not_built, join(verdict.reasons, "; "));
  } else if (patched) {
    settle_status(decision, AdvisoryStatus::fixed, "known issue " + patched->issue);
  } else {
    const std::optional<Version>& fixed_in = advisory.about.fixed_in;
    settle_status(decision, AdvisoryStatus::affected,
                  concat(range_text(advisory, release),
                         fixed_in ? "; fixed in " + fixed_in->text() : "; no release is known to fix it"));
  }
  return decision;
}

}  // namespace

std::vector<AdvisoryDecision> judge_advisories(const Catalog& catalog, const Plan& plan) {
  std::vector<AdvisoryDecision> decisions;
  for (const auto& [id, advisory] : catalog.advisories)
    if (std::ranges::count(plan.components, advisory.about.repository.component) > 0)
      decisions.push_back(judge_advisory(advisory, plan));
  return decisions;
}

}  // namespace torchpatch::plan
