// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "report/reports.h"
#include "report/words.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// The groups of issues, unhandled ones first.
enum class PlanGroup { undecided, uncertified, declined, by_hand, patch, files, variable, after_build, know, none };

struct GroupWords {
  const char* name;     ///< in counts
  const char* heading;  ///< of these issues
  const char* done;     ///< for one of them
};

const GroupWords& group_words(PlanGroup group) {
  static constexpr GroupWords kWords[] = {
      {"undecided", "undecided: a fact is unknown, so nothing is done",
       "nothing until the fact is known: pass it with --set"},
      {"uncertified", "uncertified: they apply, but their patch has no certificate for these sources",
       "prepare refuses: the patch has no certificate for these sources"},
      {"declined", "declined: they apply, but no fix is used", "nothing"},
      {"for you to do", "for you to do", "nothing: you have to fix it"},
      {"patched", "patched: prepare applies the patch", "prepare changes the sources"},
      {"fixed by added files", "added files: prepare adds them", "prepare adds files"},
      {"set in build.env", "set in build.env", "build.env sets variables"},
      {"handled after the build", "handled after the build: build.sh runs it",
       "build.sh runs commands after the build"},
      {"for information", "for information: read them if something fails", "nothing: it affects few builds"},
      {"not affected", "issues that do not apply", "nothing is needed"}};
  return kWords[static_cast<std::size_t>(group)];
}

constexpr PlanGroup kPlanGroups[] = {
    PlanGroup::undecided, PlanGroup::uncertified, PlanGroup::declined,    PlanGroup::by_hand, PlanGroup::patch,
    PlanGroup::files,     PlanGroup::variable,    PlanGroup::after_build, PlanGroup::know,    PlanGroup::none};

PlanGroup plan_group_of(const IssueDecision& decision, const Catalog& catalog) {
  static constexpr PlanGroup kOfStatus[] = {PlanGroup::none, PlanGroup::none, PlanGroup::undecided, PlanGroup::declined,
                                            PlanGroup::uncertified};
  static constexpr PlanGroup kOfKind[] = {PlanGroup::patch, PlanGroup::variable, PlanGroup::files,
                                          PlanGroup::after_build};
  if (decision.status != IssueStatus::applied) return entry_of(kOfStatus, decision.status);
  if (decision.kind != FixKind::advice) return kOfKind[static_cast<std::size_t>(decision.kind)];
  return is_to_act_on(catalog.issue(decision.issue)) ? PlanGroup::by_hand : PlanGroup::know;
}

std::vector<const IssueDecision*> decisions_of(const Plan& plan, const Catalog& catalog, PlanGroup group) {
  std::vector<const IssueDecision*> decisions;
  for (const IssueDecision& decision : plan.issues)
    if (plan_group_of(decision, catalog) == group) decisions.push_back(&decision);
  return decisions;
}

/// Returns the reason without the release, which all applying issues share, if there is more in it.
std::string terse_reason(const Plan& plan, const IssueDecision& decision) {
  constexpr std::string_view kNext = "; ";
  const std::size_t end = decision.reason.find(kNext);
  const bool is_release = starts_with(decision.reason, concat("release ", plan.release->version.text(), " is in ")) &&
                          end != std::string::npos;
  return is_release ? decision.reason.substr(end + kNext.size()) : decision.reason;
}

const Fix* chosen_fix(const IssueDecision& decision, const Catalog& catalog) {
  return find_where(catalog.issue(decision.issue).fixes, [&](const Fix& fix) { return fix.id == decision.fix; });
}

/// Returns title and id, what the fix does, and optionally why.
Line decision_item(const Plan& plan, const IssueDecision& decision, const Catalog& catalog, bool gives_reason) {
  Line line = {text(concat(catalog.issue(decision.issue).title, " (", decision.issue, ")"))};
  if (const Fix* const fix = chosen_fix(decision, catalog)) {
    line.push_back(line_end());
    const std::string variant = decision.variant.empty() ? "" : ", variant " + decision.variant;
    line.push_back(text(concat(fix->summary, " (fix ", fix->id, variant, ")")));
  }
  if (gives_reason) line.insert(line.end(), {line_end(), toned(terse_reason(plan, decision), Tone::soft)});
  return line;
}

void add_issue_groups(const Plan& plan, const Catalog& catalog, bool all, std::vector<Block>& blocks) {
  for (const PlanGroup group : kPlanGroups) {
    if (group == PlanGroup::none && !all) continue;
    Items items;
    for (const IssueDecision* const decision : decisions_of(plan, catalog, group))
      items.items.push_back(decision_item(plan, *decision, catalog, group != PlanGroup::know));
    add_section(blocks, group_words(group).heading, {items});
  }
}

/// Returns "3 by hand, 4 patch, 9 variable, 27 good to know; 80 do not apply".
std::string issue_counts(const Plan& plan, const Catalog& catalog) {
  std::vector<std::string> counts;
  for (const PlanGroup group : kPlanGroups) {
    const std::size_t count = decisions_of(plan, catalog, group).size();
    if (group != PlanGroup::none && count > 0) counts.push_back(concat(count, " ", group_words(group).name));
  }
  return concat(counts.empty() ? "none applies" : join(counts, ", "), "; ",
                decisions_of(plan, catalog, PlanGroup::none).size(), " do not apply");
}

/// Returns "2 affected (CVE-2024-31580, CVE-2025-32434), 7 not affected".
std::string advisory_counts(const Plan& plan) {
  std::vector<std::string> counts;
  for (const auto& [status, name] : kNamesOf<AdvisoryStatus>) {
    const std::vector<std::string> ids = advisories_with(plan.advisories, status);
    const bool is_listed = status != AdvisoryStatus::not_affected;
    const std::string listed = is_listed ? concat(" (", join(ids, ", "), ")") : "";
    if (!ids.empty()) counts.push_back(concat(ids.size(), " ", status_words(status), listed));
  }
  return join(counts, ", ");
}

void add_advisories(const Plan& plan, std::vector<Block>& blocks) {
  Items items;
  for (const AdvisoryDecision& each : plan.advisories) {
    Line& line = items.items.emplace_back(Line{text(concat(each.names(), ": ", each.about.summary))});
    line.insert(line.end(), {line_end(), toned(each.text(), Tone::soft)});
    if (each.status == AdvisoryStatus::affected) line.insert(line.end(), {line_end(), text(each.about.advice)});
  }
  add_section(blocks, "advisories", {items});
}

Rows component_rows(const Plan& plan) {
  Rows rows;
  for (const auto& [component, pin] : plan.pins())
    rows.push_back({name_of(component), pin.version, pin.commit.hex(), pin.url});
  return rows;
}

/// Adds the changes to the tree, in the order of prepare.
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

/// Adds the lines of a step; of a long script only the first ones, unless `all`.
void add_step(const PlannedStep& step, bool all, Rows& rows) {
  constexpr std::size_t kShown = 3, kLong = 6;
  const bool is_cut = !all && step.commands.size() > kLong;
  for (std::size_t i = 0; i < (is_cut ? kShown : step.commands.size()); ++i)
    rows.push_back({step.fix, step.commands[i]});
  if (!is_cut) return;
  const std::size_t rest = step.commands.size() - kShown;
  rows.push_back({step.fix, concat("… and ", counted(rest, "more line"), " ('explain --all' prints all)")});
}

/// Adds the settings and steps of the build.
void add_build(const Plan& plan, bool all, std::vector<Block>& blocks) {
  Rows settings, steps;
  for (const PlannedSetting& setting : plan.environment) {
    const std::string component = setting.component ? concat(" (", name_of(*setting.component), ")") : "";
    settings.push_back(
        {concat(setting.name, "=", shell_quote(setting.value), component), setting.origin, reading_text(setting)});
  }
  for (const PlannedStep& step : plan.steps) add_step(step, all, steps);
  add_rows(blocks, "environment of the build", settings);
  add_rows(blocks, "after the build", steps);
}

std::string machine_text(const Board& board, const Image& image) {
  return concat(board.title, " (", board.id, "), image ", image.id);
}

std::string plan_title(const Plan& plan) {
  return concat("PyTorch ", plan.release->version.text(), " for ", machine_text(*plan.board, *plan.image), ", Python ",
                plan.python);
}

/// Returns what the reason of a decision explains.
const char* applies_text(IssueStatus status) {
  static constexpr const char* kTexts[] = {"applies", "does not apply", "may apply", "applies, but", "applies, but"};
  return entry_of(kTexts, status);
}

}  // namespace

Document plan_document(const Plan& plan, const Catalog& catalog, const PlanView& view) {
  Document page{.title = plan_title(plan)};
  std::vector<std::string> notes = {"plan " + plan.digest.hex()};
  if (view.is_image_assumed) notes.push_back("image " + image_assumed_text(plan.image->id));
  if (plan.host) notes.push_back("built on " + machine_text(*plan.host->board, *plan.host->image));
  if (plan.release->stand_in) notes.push_back("note: " + stand_in_text(*plan.release->stand_in));
  if (plan.chosen)
    for (const std::string& option : *plan.chosen) notes.push_back(chosen_text(option));
  for (const std::string& warning : plan.warnings) notes.push_back("warning: " + warning);
  notes.push_back(
      concat("known issues: ", issue_counts(plan, catalog), view.all ? "" : " ('explain --all' gives the reasons)"));
  if (!plan.advisories.empty()) notes.push_back("advisories: " + advisory_counts(plan));
  for (const AdvisoryDecision& each : plan.advisories)
    if (!each.note.empty())
      notes.push_back(concat("note: ", each.note, " (", each.about.id, " affects later releases)"));
  page.blocks.push_back(plain_items(notes));
  add_issue_groups(plan, catalog, view.all, page.blocks);
  if (view.all) add_advisories(plan, page.blocks);
  add_rows(page.blocks, "components", component_rows(plan));
  add_items(page.blocks, "pinned by content", content_lines(plan.release->components));
  add_changes(plan, page.blocks);
  add_build(plan, view.all, page.blocks);
  return page;
}

Plan plan_of_issue(const Plan& plan, const std::string& issue) {
  Plan part = plan;
  const auto is_other = [&](const auto& planned) { return std::ranges::count(planned.issues, issue) == 0; };
  std::erase_if(part.issues, [&](const IssueDecision& decision) { return decision.issue != issue; });
  std::erase_if(part.advisories, [&](const AdvisoryDecision& decision) { return decision.about.issue != issue; });
  std::erase_if(part.overrides, is_other);
  std::erase_if(part.patches, is_other);
  std::erase_if(part.files, is_other);
  std::erase_if(part.environment, [&](const PlannedSetting& setting) {
    return std::ranges::count(origins_of(setting), "issue " + issue) == 0;
  });
  std::erase_if(part.steps, [&](const PlannedStep& step) { return step.issue != issue; });
  return part;
}

Document issue_plan_document(const Plan& plan, const Catalog& catalog, const std::string& id, const PlanView& view) {
  const Issue& issue = catalog.issue(id);
  const Plan part = plan_of_issue(plan, issue.id);
  const IssueDecision& decision = part.issues.front();
  const PlanGroup group = plan_group_of(decision, catalog);
  const Fix* const fix = chosen_fix(decision, catalog);
  Document page{.title = concat("issue ", issue.id, ": ", issue.title)};
  page.blocks.push_back(
      Terms{{{"for", said(plan_title(plan))},
             {"image", said(view.is_image_assumed ? image_assumed_text(plan.image->id) : "")},
             {applies_text(decision.status), said(decision.reason)},
             {"done", said(group_words(group).done)},
             {"fix", said(fix ? concat(fix->summary, ": ", fix_text(decision.kind, fix->id, decision.variant)) : "")},
             {"severity", said(issue.severity)}}});
  add_changes(part, page.blocks);
  add_build(part, true, page.blocks);
  Rows others;
  for (const Fix& other : issue.fixes) {
    if (&other == fix || group == PlanGroup::none) continue;
    const std::string when = other.when.empty() ? "" : "when " + condition_text(other.when);
    others.push_back({"--with " + other.id, other.summary, when});
  }
  add_rows(page.blocks, "other fixes", others);
  if (group == PlanGroup::none) return page;
  for (const auto& [heading, words] : issue.sections)
    if (heading == "Fix") add_blocks(page.blocks, {Heading{2, heading}, Markdown{words}});
  return page;
}

}  // namespace torchpatch::report
