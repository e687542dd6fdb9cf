// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// Returns what happened on the side with the wrong result, or on neither.
std::string detail_text(const ProofOutcome& outcome) {
  if (outcome.verdict == ProofVerdict::no_tool) return "not found: " + join(outcome.missing_tools, ", ");
  return concat("exit ", outcome.before_exit, " without, ", outcome.after_exit, " with the patch");
}

/// Adds the output of the side with the wrong result; nothing if both are right.
void add_output(const ProofOutcome& outcome, std::vector<Block>& blocks) {
  const bool is_red = outcome.verdict != ProofVerdict::not_red;
  if (is_red && outcome.verdict != ProofVerdict::not_green) return;
  const std::string& output = is_red ? outcome.after_output : outcome.before_output;
  add_items(blocks,
            concat(outcome.patchset, " at ", outcome.release.text(), ", proof ", outcome.proof, ", ",
                   is_red ? "with" : "without", " the patch:"),
            split(trim(output), '\n'));
}

std::string verdicts_text(const ProveReport& report) {
  std::string text;
  for (const ProofVerdict verdict :
       {ProofVerdict::proven, ProofVerdict::not_red, ProofVerdict::not_green, ProofVerdict::no_tool}) {
    const auto count = std::count_if(report.proofs.begin(), report.proofs.end(),
                                     [&](const ProofOutcome& outcome) { return outcome.verdict == verdict; });
    if (count > 0 || verdict == ProofVerdict::proven)
      text += concat(text.empty() ? "" : ", ", count, " ", name_of(verdict));
  }
  return text;
}

}  // namespace

Document prove_document(const ProveReport& report) {
  Rows rows, unproven;
  for (const ProofOutcome& outcome : report.proofs) {
    rows.push_back({name_of(outcome.verdict), outcome.patchset, outcome.release.text(), outcome.variant, outcome.proof,
                    detail_text(outcome)});
  }
  for (const NotProven& line : report.unproven) unproven.push_back({line.patchset, line.release, line.why});
  Document page{.blocks = {plain_table(rows)}};
  for (const ProofOutcome& outcome : report.proofs) add_output(outcome, page.blocks);
  add_rows(page.blocks, "without proof", unproven);
  page.blocks.push_back(Heading{2, verdicts_text(report)});
  return page;
}

}  // namespace torchpatch::report
