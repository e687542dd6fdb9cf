// SPDX-License-Identifier: BSD-3-Clause
#include "command/proofs_page.h"

#include <map>
#include <vector>

#include "model/proof.h"
#include "support/text.h"

namespace torchpatch::test {
namespace {

const std::string kListsBegin = "## What is proven\n";

/// "proven since 2026-11-21" → the releases of which that holds, in order.
std::vector<std::pair<std::string, std::vector<std::string>>> by_outcome(const std::vector<ProofState>& states,
                                                                         const Proof& proof) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const ProofState& state : states) {
    if (state.proof != &proof) continue;
    const std::string outcome = concat(state_name(state), state.is_current ? " | " + state.record->date : " | ");
    if (groups.empty() || groups.back().first != outcome) groups.push_back({outcome, {}});
    groups.back().second.push_back(state.release->version.text());
  }
  return groups;
}

std::string rows(const Patchset& patchset, const Catalog& catalog) {
  const std::vector<ProofState> states = proof_states(patchset, catalog);
  std::string text;
  for (const Proof& proof : patchset.proof.proofs)
    for (const auto& [outcome, releases] : by_outcome(states, proof))
      text += concat("| ", patchset.id, " | ", proof.id, " | ", join(releases, ", "), " | ", outcome, " |\n");
  return text;
}

std::string claims(const Catalog& catalog) {
  std::string text;
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Proof& proof : patchset.proof.proofs) {
      text += concat("* ", id, ", ", proof.id, " (", proof.releases.text(), "): ", proof.claim, ". Needs `",
                     join(proof.tools, "`, `"), "`.\n");
    }
  }
  return text;
}

std::string tools(const Catalog& catalog) {
  std::map<std::string, std::string> versions;
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const ProofRecord& record : patchset.proof.records)
      for (const auto& [tool, version] : record.tools) versions[tool] = version;
  }
  std::string text;
  for (const auto& [tool, version] : versions)
    text += concat("* `", tool, "`: ", version.empty() ? "(says none)" : version, "\n");
  return text;
}

std::string unproven(const Catalog& catalog) {
  std::string text;
  for (const auto& [id, patchset] : catalog.patchsets)
    for (const Unproven& each : patchset.proof.unproven)
      text += concat("* ", id, ", ", each.releases.text(), ": ", each.why, ".\n");
  return text;
}

std::string coverage(const Catalog& catalog) {
  std::string text = "| patchset | |\n|---|---|\n";
  for (const auto& [id, patchset] : catalog.patchsets)
    text += concat("| ", id, " | ", coverage_text(patchset, catalog), " |\n");
  return text;
}

}  // namespace

std::string proofs_page(const std::string& page, const Catalog& catalog) {
  std::string text = page.substr(0, page.find(kListsBegin)) + kListsBegin + "\n" + coverage(catalog) +
                     "\n| patchset | proof | releases | outcome | since |\n|---|---|---|---|---|\n";
  for (const auto& [id, patchset] : catalog.patchsets) text += rows(patchset, catalog);
  return text + "\n## What each proof shows\n\n" + claims(catalog) + "\n## What has none, and why\n\n" +
         unproven(catalog) + "\n## The tools of the last recorded run\n\n" + tools(catalog);
}

}  // namespace torchpatch::test
