// SPDX-License-Identifier: BSD-3-Clause
#include "record/json.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

using record::array_of;

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

Json planned_issue_json(const IssueDecision& decision) {
  return {{"id", decision.issue},
          {"applies", applies(decision.status)},
          {"status", issue_status_name(decision.status)},
          {"reason", decision.reason},
          {"fix", record::text_or_null(decision.fix)},
          {"kind", decision.fix.empty() ? Json(nullptr) : Json(fix_kind_name(decision.kind))},
          {"variant", record::text_or_null(decision.variant)}};
}

Json planned_components_json(const Plan& plan) {
  Json object = Json::object();
  for (const Component component : plan.components) {
    const ComponentPin* const pin = plan.release->find(component);
    if (pin == nullptr) continue;
    object[component_name(component)] = {
        {"version", pin->version}, {"url", pin->url}, {"tag", pin->tag}, {"commit", pin->commit.hex()}};
  }
  return object;
}

Json build_host_json(const Plan& plan) {
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
          {"forced_settings", options.forced_settings},
          {"build_target", options.build_target},
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

Json edge_json(const CertificateEdge& edge) {
  return {{"path", edge.path}, {"before", record::id_or_null(edge.before)}, {"after", record::id_or_null(edge.after)}};
}

Json planned_override_json(const PlannedOverride& planned) {
  return {{"patchset", planned.patchset},
          {"variant", planned.variant},
          {"repository", planned.what->repository.text()},
          {"replaces", planned.what->replaces.hex()},
          {"commit", planned.what->commit.hex()},
          {"url", planned.what->url},
          {"issues", planned.issues}};
}

Json planned_patch_json(const PlannedPatch& planned) {
  return {{"patchset", planned.patchset},
          {"variant", planned.variant},
          {"file", planned.patch->file},
          {"sha256", planned.patch->sha256.hex()},
          {"repository", planned.patch->repository.text()},
          {"issues", planned.issues},
          {"is_certified", !planned.edges.empty()},
          {"edges", array_of(planned.edges, edge_json)}};
}

Json planned_file_json(const PlannedFile& planned) {
  return {{"patchset", planned.patchset},
          {"variant", planned.variant},
          {"repository", planned.file->repository.text()},
          {"path", planned.file->path},
          {"sha256", planned.file->sha256.hex()},
          {"issues", planned.issues}};
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

/// The issues of one status, each with its fix on a line and its reason on the next.
void add_decisions(const Plan& plan, IssueStatus status, const std::string& heading, std::vector<Block>& blocks) {
  Items items;
  for (const IssueDecision& decision : plan.issues) {
    if (decision.status != status) continue;
    const std::string fix = decision.fix.empty() ? "" : ": " + fix_text(decision.kind, decision.fix, decision.variant);
    items.items.push_back({text(decision.issue + fix), line_end(), text(decision.reason)});
  }
  add_section(blocks, heading, {items});
}

Rows component_rows(const Plan& plan) {
  Rows rows;
  for (const Component component : plan.components) {
    const ComponentPin* const pin = plan.release->find(component);
    if (pin != nullptr) rows.push_back({component_name(component), pin->version, pin->commit.hex(), pin->url});
  }
  return rows;
}

/// What becomes of the tree, in the order of prepare.
void add_changes(const Plan& plan, std::vector<Block>& blocks) {
  Rows overrides, patches, files;
  for (const PlannedOverride& planned : plan.overrides) {
    overrides.push_back({planned.what->repository.text(), planned.what->commit.hex(),
                         "instead of " + short_id(planned.what->replaces), planned.what->url,
                         issues_text(planned.issues)});
  }
  for (const PlannedPatch& planned : plan.patches) {
    patches.push_back({concat(planned.patchset, "/", planned.patch->file), planned.patch->repository.text(),
                       concat(certificate_text(!planned.edges.empty()),
                              planned.edges.empty() ? "" : " for " + counted(planned.edges.size(), "path")),
                       issues_text(planned.issues)});
  }
  for (const PlannedFile& planned : plan.files)
    files.push_back({planned.file->path, planned.file->repository.text(), issues_text(planned.issues)});
  add_rows(blocks, "submodules at another commit", overrides);
  add_rows(blocks, "patches, in order", patches);
  add_rows(blocks, "added files", files);
}

/// What the build is given.
void add_build(const Plan& plan, std::vector<Block>& blocks) {
  Rows settings, steps;
  for (const PlannedSetting& setting : plan.environment) {
    const std::string component = setting.component ? concat(" (", component_name(*setting.component), ")") : "";
    settings.push_back(
        {concat(setting.name, "=", shell_quote(setting.value), component), setting.origin, reading_text(setting)});
  }
  for (const PlannedStep& step : plan.steps)
    for (const std::string& command : step.commands) steps.push_back({step.fix, command});
  add_rows(blocks, "environment of the build", settings);
  add_rows(blocks, "after the build", steps);
}

std::string machine_text(const Board& board, const Image& image) {
  return concat(board.title, " (", board.id, "), image ", image.id);
}

}  // namespace

Json plan_json(const Plan& plan, const VerifyReport* tree) {
  Json root = {
      {"schema", 1}, {"release", plan.release->version.text()}, {"genuine", !plan.release->stand_in.has_value()}};
  if (plan.release->stand_in) root["stand_in"] = *plan.release->stand_in;
  root["board"] = plan.board->id;
  root["image"] = plan.image->id;
  root["python"] = plan.python;
  root["plan"] = plan.digest.hex();
  root["host"] = build_host_json(plan);
  root["components"] = planned_components_json(plan);
  root["options"] = tree ? Json(tree->options) : options_json(plan.options);
  root["facts"] = facts_json(plan.facts);
  root["issues"] = array_of(plan.issues, planned_issue_json);
  root["overrides"] = array_of(plan.overrides, planned_override_json);
  root["patches"] = array_of(plan.patches, planned_patch_json);
  root["added_files"] = array_of(plan.files, planned_file_json);
  root["environment"] = array_of(plan.environment, record::setting_json);
  root["post_build"] = steps_json(plan, false);
  root["post_wheel"] = steps_json(plan, true);
  root["warnings"] = plan.warnings;
  return root;
}

Document plan_document(const Plan& plan, const VerifyReport* tree) {
  Document page{.title = concat("PyTorch ", plan.release->version.text(), " for ",
                                machine_text(*plan.board, *plan.image), ", Python ", plan.python)};
  std::vector<std::string> notes = {"plan " + plan.digest.hex()};
  if (plan.host) notes.push_back("built on " + machine_text(*plan.host->board, *plan.host->image));
  if (plan.release->stand_in) notes.push_back("note: " + stand_in_text(*plan.release->stand_in));
  for (const std::string& option : tree ? tree->options : std::vector<std::string>{})
    notes.push_back(chosen_text(option));
  for (const std::string& warning : plan.warnings) notes.push_back("warning: " + warning);
  page.blocks.push_back(plain_items(notes));
  add_rows(page.blocks, "components", component_rows(plan));
  add_decisions(plan, IssueStatus::undecided, "undecided issues (a fact is unknown; nothing is done)", page.blocks);
  add_decisions(plan, IssueStatus::uncertified,
                "uncertified issues (they apply; their patch has no certificate for these sources)", page.blocks);
  add_decisions(plan, IssueStatus::applied, "issues that apply", page.blocks);
  add_decisions(plan, IssueStatus::declined, "declined issues", page.blocks);
  add_decisions(plan, IssueStatus::not_affected, "issues that do not apply", page.blocks);
  add_changes(plan, page.blocks);
  add_build(plan, page.blocks);
  return page;
}

}  // namespace torchpatch::report
