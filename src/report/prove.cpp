// SPDX-License-Identifier: BSD-3-Clause
#include "report/prove.h"

#include <algorithm>

#include "document/text.h"
#include "record/json.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

Json outcome_json(const ProofOutcome& outcome) {
  const bool is_run = outcome.verdict != ProofVerdict::no_tool;
  return {{"patch", outcome.patchset},
          {"proof", outcome.proof},
          {"release", outcome.release.text()},
          {"variant", outcome.variant},
          {"subject", outcome.subject.hex()},
          {"before_exit", is_run ? Json(outcome.before.exit) : Json(nullptr)},
          {"after_exit", is_run ? Json(outcome.after.exit) : Json(nullptr)},
          {"verdict", verdict_name(outcome.verdict)},
          {"missing_tools", outcome.missing_tools},
          {"tools", outcome.tools},
          {"before_output", outcome.before.output},
          {"after_output", outcome.after.output}};
}

std::string prove_json(const ProveReport& report) {
  Json root = {{"schema", 1}, {"proofs", Json::array()}, {"unproven", Json::array()}};
  for (const ProofOutcome& outcome : report.proofs) root["proofs"].push_back(outcome_json(outcome));
  for (const NotProven& line : report.unproven) {
    root["unproven"].push_back({{"patch", line.patchset.empty() ? Json(nullptr) : Json(line.patchset)},
                                {"release", line.release},
                                {"why", line.why}});
  }
  return report_json(root);
}

/// Returns what happened on the side that is not as it should be, or on none.
std::string detail(const ProofOutcome& outcome) {
  if (outcome.verdict == ProofVerdict::no_tool) return "not there: " + join(outcome.missing_tools, ", ");
  return concat("exit ", outcome.before.exit, " without, ", outcome.after.exit, " with the patch");
}

std::string output_text(const ProofOutcome& outcome) {
  const bool is_red = outcome.verdict != ProofVerdict::not_red;
  std::string text = concat("\n", outcome.patchset, " at ", outcome.release.text(), ", proof ", outcome.proof, ", ",
                            is_red ? "with" : "without", " the patch:\n");
  for (const std::string& line : split(trim(is_red ? outcome.after.output : outcome.before.output), '\n')) {
    text += concat("  ", plain_line(line), "\n");
  }
  return text;
}

std::string counts_text(const ProveReport& report) {
  std::string text;
  for (const ProofVerdict verdict :
       {ProofVerdict::proven, ProofVerdict::not_red, ProofVerdict::not_green, ProofVerdict::no_tool}) {
    const auto count = std::count_if(report.proofs.begin(), report.proofs.end(),
                                     [&](const ProofOutcome& outcome) { return outcome.verdict == verdict; });
    if (count > 0 || verdict == ProofVerdict::proven) {
      text += concat(text.empty() ? "" : ", ", count, " ", verdict_name(verdict));
    }
  }
  return concat("\n", text, "\n");
}

std::string prove_text(const ProveReport& report) {
  Rows rows, unproven;
  std::string outputs;
  for (const ProofOutcome& outcome : report.proofs) {
    rows.push_back({verdict_name(outcome.verdict), outcome.patchset, outcome.release.text(), outcome.variant,
                    outcome.proof, detail(outcome)});
    const bool is_wrong = outcome.verdict == ProofVerdict::not_red || outcome.verdict == ProofVerdict::not_green;
    if (is_wrong) outputs += output_text(outcome);
  }
  for (const NotProven& line : report.unproven) unproven.push_back({line.patchset, line.release, line.why});
  return text_table(rows) + outputs + text_section("without proof", unproven) + counts_text(report);
}

}  // namespace

std::string prove_report(const ProveReport& report, Format format) {
  return format == Format::json ? prove_json(report) : prove_text(report);
}

}  // namespace torchpatch::report
