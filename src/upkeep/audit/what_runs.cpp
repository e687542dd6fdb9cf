// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/audit/audit.h"

#include <algorithm>

#include "patch/review.h"
#include "record/tree_scripts.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "trees/doctor/doctor.h"
#include "trees/recipe/recipe.h"
#include "upkeep/certify/certify.h"

namespace torchpatch::upkeep {

namespace {

constexpr std::size_t kScriptContext = 2;

AuditCommands commands(std::string name, const std::vector<std::string>& lines) {
  return {std::move(name), lines, sha256(join(lines, "\n") + "\n")};
}

void add_steps_of(const Board& board, AuditRuns& runs) {
  if (!board.build_steps.empty())
    runs.commands.push_back(commands("recipe of the board " + board.id, board.build_steps));
}

void add_step(const PlannedStep& step, AuditRuns& runs) {
  runs.commands.push_back(commands(
      concat(step.after_wheel ? "after the wheel: " : "after the build: ", step.fix, " (issue ", step.issue, ")"),
      step.commands));
}

/// What a layer of somebody's own decides: pins, packages that are installed, conditions.
AuditCommands data_of(const std::string& layer, const Manifest& manifest, const Release& release) {
  std::vector<std::string> lines;
  for (const EntryOrigin& origin : manifest.origins) {
    if (origin.layer != layer) continue;
    lines.push_back(concat(origin.entry, ", SHA-256 ", origin.digest.hex()));
    if (origin.entry != "release " + manifest.release) continue;
    for (const auto& [component, pin] : release.components)
      lines.push_back(concat(name_of(component), " at ", pin.commit.hex(), " of ", pin.url,
                             pin.is_content() ? ", constructed: " + pin.content->text() : ""));
  }
  return commands("data of the layer " + layer, lines);
}

AuditScript script(const char* name, const std::string& common, const std::string& particular) {
  return {name, audit_hunks(patch::diff_lines(text_lines(common), text_lines(particular), kScriptContext))};
}

}  // namespace

AuditRuns what_runs(const Catalog& catalog, const Plan& plan, const Manifest& manifest) {
  const std::vector<HostRequirement> requirements = trees::host_requirements(catalog, manifest, plan);
  const Board& builder = plan.host ? *plan.host->board : *plan.board;
  Manifest common = manifest;  // of a plan of the same release that answers no issue, for an unknown board
  common.environment.clear();
  common.tool_bounds.clear();
  common.target.clear();
  common.host.clear();
  AuditRuns runs;
  runs.variables = plan.environment;
  std::string exports;
  for (const PlannedSetting& each : runs.variables)
    if (is_exported(each))
      exports += concat(each.component ? concat(name_of(*each.component), ": ") : "",
                        record::export_command(each.name, each.value), "\n");
  runs.variables_sha256 = sha256(exports);
  add_steps_of(builder, runs);
  for (const PlannedStep& step : plan.steps) add_step(step, runs);
  for (const std::string& layer : foreign_layers(manifest))
    if (catalog.own_layers.contains(layer) || std::ranges::count(catalog.layers, layer) == 0)
      runs.commands.push_back(data_of(layer, manifest, *plan.release));
  const std::set<Component> scikit_build = built_by(*plan.release, FrontEndKind::scikit_build_core);
  runs.scripts = {script("build.sh", record::build_script(common, {}, {}, {}, scikit_build),
                         record::build_script(manifest, plan.steps, builder.build_steps, requirements, scikit_build)),
                  script("check.sh", record::check_script(common, {}), record::check_script(manifest, requirements))};
  return runs;
}

void add_recipe(record::RecipeInput recipe, const std::string& directory, AuditRuns& runs) {
  trees::take_over(directory, recipe);
  const std::vector<std::string> different = trees::compare_recipe(record::recipe_files(recipe), directory);
  if (!different.empty())
    throw Error(ErrorKind::data,
                concat("the recipe in ", quote(directory),
                       " does not match this tree: ", join(collect(different, quote), ", ")),
                "write it again with 'torchpatch recipe'");
  runs.commands.push_back(commands(concat("recipe ", name_of(recipe.kind)), record::recipe_facts(recipe)));
}

AuditRuns commands_of(const Catalog& catalog) {
  AuditRuns runs;
  for (const auto& [id, board] : catalog.boards) add_steps_of(board, runs);
  for (const auto& [id, issue] : catalog.issues) {
    for (const Fix& fix : issue.fixes)
      if (!fix.commands.empty()) add_step({id, fix.id, fix.kind == FixKind::files, fix.commands}, runs);
  }
  return runs;
}

AuditOverride audit_override(std::string patchset, std::string variant, SubmoduleOverride what,
                             std::vector<std::string> issues) {
  AuditOverride made{std::move(patchset), std::move(variant), std::move(what), std::move(issues)};
  made.sha256 = sha256(concat(made.what.repository.text(), "\n", made.what.replaces.hex(), "\n", made.what.commit.hex(),
                              "\n", made.what.url, "\n"));
  return made;
}

std::vector<Approvable> what_is_approved(const AuditReport& report) {
  std::vector<Approvable> all;
  for (const AuditPatch& patch : report.patches)
    all.push_back(
        {ApprovalKind::patch, concat(patch.patchset, "/", patch.file), patch.sha256, patch.repository.text()});
  for (const AuditOverride& each : report.overrides)
    all.push_back({ApprovalKind::replacement, each.name(), each.sha256});
  for (const AuditAddedFile& file : report.added_files) {
    const char* const mode = file.is_executable ? " (executable)" : "";
    all.push_back({ApprovalKind::added_file, concat(file.repository.text(), ":", file.path, mode), file.sha256});
  }
  for (const AuditCommands& each : report.runs.commands)
    all.push_back({ApprovalKind::commands, each.name, each.sha256});
  if (!report.runs.variables.empty()) {
    all.push_back({ApprovalKind::variables, concat(report.release, " for ", report.board, " (", report.image, ")"),
                   report.runs.variables_sha256});
  }
  return all;
}

void look_up_approvals(const Catalog& catalog, const std::string& signers, AuditReport& report) {
  AuditApprovals& approvals = report.approvals.emplace();
  approvals.are_none_read = catalog.approvals.empty();
  for (Approvable& each : what_is_approved(report)) approvals.of.push_back({std::move(each), {}, {}, {}, {}});
  trees::signers_kind(signers);                         // raises, also where there is no approval
  std::map<std::string, trees::SignatureCheck> checks;  // copies of an approval are checked once
  for (Approval approval : catalog.approvals) {
    const std::string signature = std::exchange(approval.signature, {});
    const std::string bytes = file_bytes(approval, "an approval");
    const auto [found, is_new] = checks.try_emplace(bytes + signature);
    trees::SignatureCheck& check = found->second;
    if (is_new) check = trees::check_signature(bytes, signature, signers, trees::kApprovalPurpose);
    if (!check.is_good) {
      approvals.refused.push_back(concat(quote(approval.file), ": ", printable(check.why)));
      continue;
    }
    for (AuditApproval& each : approvals.of) {
      const auto covers = [&](const Approvable& approved) { return approved.covers(each.what); };
      if (each.key.empty() && std::ranges::any_of(approval.approved, covers))
        each = {each.what, check.signer, check.key, approval.date, approval.file};
    }
  }
}

void leave_unapproved(AuditReport& report) {
  report.approvals.value().is_unapproved_alone = true;
  std::vector<AuditApproval>& of = report.approvals->of;
  const std::vector<bool> is_approved = collect(of, [&](const AuditApproval& each) { return !each.key.empty(); });
  auto next = is_approved.begin();
  const auto is_next_approved = [&next](const auto&) { return *next++; };
  std::erase_if(report.patches, is_next_approved);
  std::erase_if(report.overrides, is_next_approved);
  std::erase_if(report.added_files, is_next_approved);
  std::erase_if(report.runs.commands, is_next_approved);
  if (!report.runs.variables.empty() && *next) report.runs.variables.clear();
  if (report.runs.commands.empty() && report.runs.variables.empty()) report.runs.scripts.clear();
  std::erase_if(of, [](const AuditApproval& each) { return !each.key.empty(); });
}

std::string write_approval(std::vector<Approvable> what, const std::string& date, const trees::SigningKey& key,
                           const std::string& directory, Console& console) {
  std::sort(what.begin(), what.end());
  Approval approval{{}, date, std::move(what), {}};
  const std::string bytes = file_bytes(approval, "an approval");
  approval.signature = trees::sign(bytes, key, trees::kApprovalPurpose).bytes;
  const std::string signed_bytes = file_bytes(approval, "an approval");
  const std::string file = concat("approvals/", date, "-", sha256(signed_bytes).hex().substr(0, 12), ".json");
  return write_recorded(directory, {{file, signed_bytes}}, console).front();
}

std::vector<std::pair<AuditGate, std::size_t>> failed_gates(const AuditReport& report,
                                                            const std::set<AuditGate>& gates) {
  std::map<AuditGate, std::size_t> counts;
  for (std::size_t i = 0; i < report.patches.size(); ++i) {
    const AuditPatch& patch = report.patches[i];
    const bool is_approved = report.approvals && !report.approvals->of.at(i).key.empty();  // it begins with the patches
    counts[AuditGate::uncertified] += patch.is_certified ? 0 : 1;
    counts[AuditGate::unproven] += is_proven(patch) ? 0 : 1;
    counts[AuditGate::risk] += is_approved ? 0 : patch.risks.size();
  }
  if (report.approvals) {
    counts[AuditGate::unapproved] = static_cast<std::size_t>(
        std::ranges::count_if(report.approvals->of, [](const AuditApproval& each) { return each.key.empty(); }));
  }
  std::vector<std::pair<AuditGate, std::size_t>> failed;
  for (const auto& [gate, count] : counts)
    if (count > 0 && gates.contains(gate)) failed.emplace_back(gate, count);
  return failed;
}

}  // namespace torchpatch::upkeep
