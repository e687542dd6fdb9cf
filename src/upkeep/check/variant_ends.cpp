// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/check/variant_ends.h"

#include <algorithm>

#include "model/prove.h"
#include "support/text.h"

namespace torchpatch::upkeep {

namespace {

/// By its ranges, and by its condition as far as the release alone decides that.
bool may_affect(const Issue& issue, const Version& release) {
  return affects(issue, release) && evaluate(issue.when, {{"release", release}}).truth != Truth::no;
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
    findings.add(concat("patchsets/", patchset.id, "/patchset.json"), 0, concat("variants[", index, "].releases"),
                 concat("variant ", quote(variant->id), " is for ", release->first.text(), " and none is for ",
                        next->first.text(), ", which the issue ", quote(issue->id),
                        " affects as well: make a variant for it ('torchpatch port ", next->first.text(),
                        "'), or say in 'ends' why there is none"));
  }
}

}  // namespace

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

}  // namespace torchpatch::upkeep
