// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "document/text.h"
#include "record/json.h"
#include "report/show.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// True, false, or null where a fact that decides is unknown. An uncertified issue applies, too: only its patch is
/// missing.
Json applies(IssueStatus status) {
  switch (status) {
    case IssueStatus::applied:
    case IssueStatus::uncertified:
      return true;
    case IssueStatus::undecided:
      return nullptr;
    case IssueStatus::not_affected:
    case IssueStatus::declined:
      return false;
  }
  return nullptr;
}

Json issues_json(const Plan& plan) {
  Json array = Json::array();
  for (const IssueDecision& decision : plan.issues) {
    const bool has_fix = !decision.fix.empty();
    array.push_back({{"id", decision.issue},
                     {"applies", applies(decision.status)},
                     {"status", issue_status_name(decision.status)},
                     {"reason", decision.reason},
                     {"fix", record::text_or_null(decision.fix)},
                     {"kind", has_fix ? Json(fix_kind_name(decision.kind)) : Json(nullptr)},
                     {"variant", record::text_or_null(decision.variant)}});
  }
  return array;
}

Json components_json(const Plan& plan) {
  Json object = Json::object();
  for (const Component component : plan.components) {
    const ComponentPin* const pin = plan.release->find(component);
    if (pin == nullptr) continue;
    object[component_name(component)] = {
        {"version", pin->version}, {"url", pin->url}, {"tag", pin->tag}, {"commit", pin->commit.hex()}};
  }
  return object;
}

Json host_json(const Plan& plan) {
  if (!plan.host) return nullptr;
  return {{"board", plan.host->board->id},
          {"image", plan.host->image->id},
          {"arch", plan.host->arch()},
          {"os", plan.host->image->os}};
}

Json options_json(const PlanOptions& options) {
  return {{"with_fixes", options.with_fixes},
          {"without_fixes", options.without_fixes},
          {"settings", record::object_json({options.settings.begin(), options.settings.end()})},
          {"force", options.force},
          {"unpatched", options.unpatched}};
}

struct FactJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const Version& version) const { return version.text(); }
  template <typename Plain>
  Json operator()(const Plain& value) const {
    return value;
  }
};

Json facts_json(const Facts& facts) {
  Json object = Json::object();
  for (const auto& [name, value] : facts) object[name] = std::visit(FactJson{}, value);
  return object;
}

Json edges_json(const std::vector<CertificateEdge>& edges) {
  Json array = Json::array();
  for (const CertificateEdge& edge : edges) {
    array.push_back(
        {{"path", edge.path}, {"before", record::id_or_null(edge.before)}, {"after", record::id_or_null(edge.after)}});
  }
  return array;
}

Json overrides_json(const Plan& plan) {
  Json array = Json::array();
  for (const PlannedOverride& planned : plan.overrides) {
    array.push_back({{"patchset", planned.patchset},
                     {"variant", planned.variant},
                     {"repository", planned.what->repository.text()},
                     {"replaces", planned.what->replaces.hex()},
                     {"commit", planned.what->commit.hex()},
                     {"url", planned.what->url},
                     {"issues", planned.issues}});
  }
  return array;
}

Json patches_json(const Plan& plan) {
  Json array = Json::array();
  for (const PlannedPatch& planned : plan.patches) {
    array.push_back({{"patchset", planned.patchset},
                     {"variant", planned.variant},
                     {"file", planned.patch->file},
                     {"sha256", planned.patch->sha256.hex()},
                     {"repository", planned.patch->repository.text()},
                     {"issues", planned.issues},
                     {"is_certified", !planned.edges.empty()},
                     {"edges", edges_json(planned.edges)}});
  }
  return array;
}

Json added_files_json(const Plan& plan) {
  Json array = Json::array();
  for (const PlannedFile& planned : plan.files) {
    array.push_back({{"patchset", planned.patchset},
                     {"variant", planned.variant},
                     {"repository", planned.file->repository.text()},
                     {"path", planned.file->path},
                     {"sha256", planned.file->sha256.hex()},
                     {"issues", planned.issues}});
  }
  return array;
}

/// The steps that run after the build, or those that run after the wheel.
Json steps_json(const Plan& plan, bool after_wheel) {
  Json array = Json::array();
  for (const PlannedStep& step : plan.steps) {
    if (step.after_wheel != after_wheel) continue;
    array.push_back({{"issue", step.issue}, {"fix", step.fix}, {"commands", step.commands}});
  }
  return array;
}

std::string plan_json(const Plan& plan) {
  Json root = {
      {"schema", 1}, {"release", plan.release->version.text()}, {"genuine", !plan.release->stand_in.has_value()}};
  if (plan.release->stand_in) root["stand_in"] = *plan.release->stand_in;
  root["board"] = plan.board->id;
  root["image"] = plan.image->id;
  root["python"] = plan.python;
  root["plan"] = plan.digest.hex();
  root["host"] = host_json(plan);
  root["components"] = components_json(plan);
  root["options"] = options_json(plan.options);
  root["facts"] = facts_json(plan.facts);
  root["issues"] = issues_json(plan);
  root["overrides"] = overrides_json(plan);
  root["patches"] = patches_json(plan);
  root["added_files"] = added_files_json(plan);
  root["environment"] = Json::array();
  for (const PlannedSetting& setting : plan.environment) root["environment"].push_back(record::setting_json(setting));
  root["post_build"] = steps_json(plan, false);
  root["post_wheel"] = steps_json(plan, true);
  root["warnings"] = plan.warnings;
  return report_json(root);
}

std::string head_text(const Plan& plan) {
  std::string out = concat("PyTorch ", plan.release->version.text(), " for ", plain_line(plan.board->title), " (",
                           plan.board->id, "), image ", plan.image->id, ", Python ", plan.python, "\n");
  if (plan.host) {
    out += concat("built on ", plain_line(plan.host->board->title), " (", plan.host->board->id, "), image ",
                  plan.host->image->id, "\n");
  }
  out += concat("plan ", plan.digest.hex(), "\n");
  if (plan.release->stand_in) out += concat("note: this is not PyTorch: ", plain_line(*plan.release->stand_in), "\n");
  for (const std::string& warning : plan.warnings) out += concat("warning: ", plain_line(warning), "\n");
  return out;
}

Rows component_rows(const Plan& plan) {
  Rows rows;
  for (const Component component : plan.components) {
    const ComponentPin* const pin = plan.release->find(component);
    if (pin != nullptr) rows.push_back({component_name(component), pin->version, pin->commit.hex(), pin->url});
  }
  return rows;
}

/// "patch cap-threads, variant T2", or nothing.
std::string fix_text(const IssueDecision& decision) {
  if (decision.fix.empty()) return {};
  const std::string variant = decision.variant.empty() ? "" : ", variant " + decision.variant;
  return concat(fix_kind_name(decision.kind), " ", decision.fix, variant);
}

/// The issues of one status, each with its fix on a line and its reason on the next.
std::string issues_text(const Plan& plan, IssueStatus status, const std::string& heading) {
  std::string out;
  for (const IssueDecision& decision : plan.issues) {
    if (decision.status != status) continue;
    out += concat("  ", decision.issue, decision.fix.empty() ? "" : ": ", fix_text(decision), "\n      ",
                  plain_line(decision.reason), "\n");
  }
  return out.empty() ? out : concat("\n", heading, "\n", out);
}

Rows override_rows(const Plan& plan) {
  Rows rows;
  for (const PlannedOverride& planned : plan.overrides) {
    rows.push_back({planned.what->repository.text(), planned.what->commit.hex(),
                    concat("instead of ", planned.what->replaces.hex().substr(0, 12)), planned.what->url,
                    "for " + join(planned.issues, ", ")});
  }
  return rows;
}

Rows patch_rows(const Plan& plan) {
  Rows rows;
  for (const PlannedPatch& planned : plan.patches) {
    rows.push_back({concat(planned.patchset, "/", planned.patch->file), planned.patch->repository.text(),
                    planned.edges.empty() ? "NOT CERTIFIED" : concat("certified for ", planned.edges.size(), " paths"),
                    "for " + join(planned.issues, ", ")});
  }
  return rows;
}

Rows file_rows(const Plan& plan) {
  Rows rows;
  for (const PlannedFile& planned : plan.files) {
    rows.push_back({planned.file->path, planned.file->repository.text(), "for " + join(planned.issues, ", ")});
  }
  return rows;
}

Rows setting_rows(const Plan& plan) {
  Rows rows;
  for (const PlannedSetting& setting : plan.environment) {
    const std::string component = setting.component ? concat(" (", component_name(*setting.component), ")") : "";
    rows.push_back({concat(setting.name, "=", shell_quote(setting.value), component), setting.origin,
                    setting.read_at.empty() ? "not known to be read" : "read at " + setting.read_at});
  }
  return rows;
}

Rows step_rows(const Plan& plan) {
  Rows rows;
  for (const PlannedStep& step : plan.steps) {
    for (const std::string& command : step.commands) rows.push_back({step.fix, command});
  }
  return rows;
}

std::string plan_text(const Plan& plan) {
  return concat(head_text(plan), text_section("components", component_rows(plan)),
                issues_text(plan, IssueStatus::undecided, "undecided issues (a fact is unknown; nothing is done)"),
                issues_text(plan, IssueStatus::uncertified,
                            "uncertified issues (they apply; their patch has no certificate for these sources)"),
                issues_text(plan, IssueStatus::applied, "issues that apply"),
                issues_text(plan, IssueStatus::declined, "declined issues"),
                issues_text(plan, IssueStatus::not_affected, "issues that do not apply"),
                text_section("submodules at another commit", override_rows(plan)),
                text_section("patches, in order", patch_rows(plan)), text_section("added files", file_rows(plan)),
                text_section("environment of the build", setting_rows(plan)),
                text_section("after the build", step_rows(plan)));
}

}  // namespace

std::string plan_report(const Plan& plan, Format format) {
  return format == Format::json ? plan_json(plan) : plan_text(plan);
}

}  // namespace torchpatch::report
