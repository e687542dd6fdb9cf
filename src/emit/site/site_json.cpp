// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/run/reports.h"
#include "emit/site/answer_table.h"
#include "emit/site/site_words.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

/// What `show --json` prints, without its own schema number.
Json shown(const std::string& report) {
  Json object = Json::parse(report);
  object.erase("schema");
  return object;
}

Json decision_json(const IssueDecision& decision) {
  Json object = {{"issue", decision.issue}, {"status", issue_status_name(decision.status)}};
  if (decision.fix.empty()) return object;
  object["fix"] = decision.fix;
  object["kind"] = fix_kind_name(decision.kind);
  if (!decision.variant.empty()) object["variant"] = decision.variant;
  return object;
}

Json plan_json(const Plan& plan) {
  Json object = {{"release", plan.release->version.text()},
                 {"board", plan.board->id},
                 {"image", plan.image->id},
                 {"python", plan.python},
                 {"plan", plan.digest.hex()},
                 {"issues", Json::array()}};
  for (const IssueDecision& decision : plan.issues) object["issues"].push_back(decision_json(decision));
  return object;
}

}  // namespace

std::vector<SiteFile> site_json(const SiteData& data) {
  const Catalog& catalog = *data.catalog;
  Json root = {{"schema", 1}};
  for (const char* part : {"issues", "boards", "releases", "patchsets", "plans", "misfits"}) root[part] = Json::array();
  for (const auto& [id, issue] : catalog.issues) root["issues"].push_back(shown(show_issue(issue, Format::json)));
  for (const auto& [id, board] : catalog.boards) root["boards"].push_back(shown(show_board(board, Format::json)));
  for (const Release* each : data.releases) root["releases"].push_back(shown(show_release(*each, Format::json)));
  for (const auto& [id, patchset] : catalog.patchsets) {
    root["patchsets"].push_back(shown(show_patchset(patchset, catalog, Format::json)));
  }
  for (const auto& [pair, plan] : data.plans) root["plans"].push_back(plan_json(plan));
  for (const auto& [pair, reasons] : data.misfits) {
    root["misfits"].push_back({{"release", pair.first.text()}, {"board", pair.second}, {"reasons", reasons}});
  }
  return {{"torchpatch-docs.json", report_json(root)}};
}

}  // namespace torchpatch::emit
