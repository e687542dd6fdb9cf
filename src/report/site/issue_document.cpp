// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>

#include "report/site/site_pages.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// Returns who carries out a fix, by its kind.
std::string_view doer(const Fix& fix) {
  static constexpr std::string_view kDoers[] = {"Patched by prepare", "Set by build.env", "Added by prepare",
                                                "Done by build.sh, after the build", "By hand"};
  return entry_of(kDoers, fix.kind);
}

bool takes_release(const Condition& condition, const Version& release) {
  return std::ranges::all_of(condition, [&](const Clause& clause) {
    const auto* range = std::get_if<VersionRange>(&clause.expected);
    return clause.fact != "release" || !range || range->contains(release);
  });
}

/// Returns the releases that a fix is for; nothing if it is for all that the issue affects.
std::string fix_releases(const Catalog& catalog, const Issue& issue, const Fix& fix) {
  const Releases releases = releases_of(catalog);
  std::vector<bool> affected, answered;
  for (const Release* release : releases) {
    affected.push_back(affects(issue, release->version));
    answered.push_back(affected.back() && takes_release(fix.when, release->version));
  }
  if (affected == answered) return {};
  const std::string runs = release_runs(releases, answered);
  return runs.empty() ? "no release of the catalog" : runs;
}

Line fix_settings(const Fix& fix) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const EnvironmentSetting& setting : fix.environment) settings.emplace_back(setting.name, setting.value);
  return settings_line(settings);
}

/// Returns what a fix is for: releases and conditions, or "otherwise" after a fix for only a part.
std::string fix_scope(const Catalog& catalog, const Issue& issue, const Fix& fix, bool is_rest) {
  const std::string releases = fix_releases(catalog, issue, fix), condition = condition_words(fix.when);
  if (releases.empty() && condition.empty()) return is_rest ? "otherwise" : "";
  if (condition.empty()) return "for " + releases;
  return concat(releases.empty() ? "" : "for " + releases + ", ", "if ", condition);
}

Line fix_line(const Catalog& catalog, const Issue& issue, const Fix& fix, bool is_rest) {
  Line line = {strong(concat(fix.is_optional ? "Optional: " : "", doer(fix))), text(": " + fix.summary)};
  const auto add = [&line](const std::string& words, const Line& more) {
    if (more.empty()) return;
    line.push_back(text(words));
    line.insert(line.end(), more.begin(), more.end());
  };
  add(" · ", fix_settings(fix));
  add(" · patch ", fix.patchset.empty() ? Line{} : Line{patchset_link(fix.patchset)});
  if (fix.is_optional) add(" · ", {code("torchpatch prepare --with " + fix.id)});
  add(" · ", said(fix_scope(catalog, issue, fix, is_rest)));
  return line;
}

/// Returns the titles of the boards with an image that some affected release runs on.
Line concerned_boards(const SiteData& data, const Issue& issue) {
  std::vector<Line> concerned, others;
  const auto& matrix = data.matrix.at(issue.id);
  for (const auto& [id, board] : data.catalog->boards) {
    bool is_concerned = false;
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
      const bool is_own = data.targets[i].board == &board;
      is_concerned =
          is_concerned || (is_own && std::ranges::any_of(matrix[i], [&](int answer) {
                             return answer != SiteData::kNoFit &&
                                    data.answers[static_cast<std::size_t>(answer)].status != IssueStatus::not_affected;
                           }));
    }
    (is_concerned ? concerned : others).push_back({board_link(board)});
  }
  if (concerned.empty())
    return {text("none by default: it needs software installed later, or another machine to build on")};
  if (others.empty()) return {text("every board")};
  if (others.size() > 4) return joined(concerned, ", ");
  return joined({{text("every board but ")}, joined(others, ", ")}, "");
}

/// Returns whether a plan with this decision uses the fix (an optional one if requested).
bool applies(const Fix& fix, const IssueDecision& answer, const Version& release) {
  if (!fix.is_optional) return answer.status == IssueStatus::applied && answer.fix == fix.id;
  return answer.status == IssueStatus::declined && takes_release(fix.when, release);
}

/// Returns the newest release and an image that get the fix, preferably a board's default.
std::optional<Pick> example_of(const SiteData& data, const Issue& issue, const Fix& fix) {
  const auto& matrix = data.matrix.at(issue.id);
  for (std::size_t release = data.releases.size(); release-- > 0;) {
    std::optional<Pick> found;
    for (std::size_t target = 0; target < data.targets.size(); ++target) {
      const Pick pick{target, release};
      if (!is_ready(data, pick) || (found && !is_default(data, pick))) continue;
      const auto answer = static_cast<std::size_t>(matrix[target][release]);
      if (!applies(fix, data.answers[answer], data.releases[release]->version)) continue;
      if (is_default(data, pick)) return pick;
      found = pick;
    }
    if (found) return found;
  }
  return std::nullopt;
}

/// Returns commands that apply the fixes, each with an example.
std::vector<Block> fix_commands(const SiteData& data, const Issue& issue) {
  std::vector<std::string> commands;
  for (const Fix& fix : issue.fixes) {
    if (fix.kind == FixKind::advice) continue;
    const std::optional<Pick> pick = example_of(data, issue, fix);
    if (!pick) continue;
    const std::string command = prepare_command(data, *pick, fix.is_optional ? " --with " + fix.id : "");
    if (std::ranges::count(commands, command) == 0) commands.push_back(command);
  }
  if (commands.empty()) return {};
  return {Paragraph{{text("To apply a fix (shown for the newest release and one board that get it):")}},
          Literal{join(commands, "\n") + "\n"}};
}

std::string kind_words(const Fix& fix) {
  static constexpr const char* kKinds[] = {"patch", "environment of the build", "added files", "step of the build",
                                           "advice"};
  return entry_of(kKinds, fix.kind);
}

std::vector<Block> fix_blocks(const Fix& fix) {
  Line kind = {text(kind_words(fix))};
  if (!fix.patchset.empty()) kind.insert(kind.end(), {text(", patchset "), patchset_link(fix.patchset)});
  Terms facts{{{"Name", {code(fix.id)}},
               {"Kind", std::move(kind)},
               {"If", fix.when.empty() ? Line{} : Line{text(condition_text(fix.when))}}}};
  if (fix.is_optional) facts.rows.push_back({"Optional", {code("torchpatch prepare --with " + fix.id)}});
  std::vector<Block> blocks = {Heading{3, fix.summary}, std::move(facts)};
  Table settings{"Variables of " + fix.id, {"Variable", "Value", "Why"}, {}};
  for (const EnvironmentSetting& setting : fix.environment)
    settings.rows.push_back({cell({code(setting.name)}), cell({code(setting.value)}), cell(setting.why)});
  if (!settings.rows.empty()) blocks.push_back(std::move(settings));
  if (!fix.commands.empty()) blocks.push_back(Literal{join(fix.commands, "\n") + "\n"});
  return blocks;
}

/// Returns the patchsets of the fixes, without duplicates.
std::vector<const Patchset*> patchsets_of(const Catalog& catalog, const Issue& issue) {
  std::vector<const Patchset*> patchsets;
  for (const Fix& fix : issue.fixes) {
    const auto found = catalog.patchsets.find(fix.patchset);
    if (found != catalog.patchsets.end() && std::ranges::count(patchsets, &found->second) == 0)
      patchsets.push_back(&found->second);
  }
  return patchsets;
}

std::vector<Block> symptom(const Issue& issue) {
  std::vector<Block> blocks = section_blocks(issue, "Symptom");
  if (!blocks.empty()) blocks.insert(blocks.begin() + 1, Block(Literal{join(issue.symptoms, "\n") + "\n"}));
  return blocks;
}

std::vector<Block> where(const SiteData& data, const Issue& issue) {
  std::vector<Block> blocks = {Heading{2, "Releases and boards"}};
  Table table = answer_table(data, issue.id);
  if (table.rows.empty()) {
    blocks.push_back(Paragraph{{text("No image of a board in the catalog is affected by default: it needs software "
                                     "installed later, another machine to build on, or a setting. For those, run "),
                                code("torchpatch explain"), text(".")}});
    return blocks;
  }
  blocks.push_back(
      Paragraph{{text("What torchpatch does about it, by release. Boards and images that are not listed are not "
                      "affected. A dash: not affected, or the release does not support the image.")}});
  blocks.push_back(std::move(table));
  return blocks;
}

std::vector<Block> patches(const SiteData& data, const Issue& issue) {
  std::vector<Block> blocks;
  for (const Patchset* patchset : patchsets_of(*data.catalog, issue)) {
    blocks.push_back(Heading{2, "Patch " + patchset->id});
    blocks.push_back(Paragraph{
        {text(patchset->summary + ". "), link_to({PageKind::patchset, patchset->id}, "All of the patchset")}});
    add_blocks(blocks, variant_blocks(*patchset));
    add_blocks(blocks, proof_blocks(data, *patchset));
  }
  return blocks;
}

std::vector<Block> links(const Issue& issue) {
  if (issue.links.empty()) return {};
  Items items;
  for (const std::string& link : issue.links) items.items.push_back({web_link(link, link)});
  return {Heading{2, "Links"}, std::move(items)};
}

}  // namespace

std::vector<Block> what_to_do_blocks(const Catalog& catalog, const Issue& issue) {
  Items items;
  bool is_rest = false;
  if (!issue.with_a_wheel.empty()) items.items.push_back({text("With a wheel: " + issue.with_a_wheel + ".")});
  for (const Fix& fix : issue.fixes) {
    items.items.push_back(fix_line(catalog, issue, fix, is_rest && !fix.is_optional));
    is_rest = is_rest || (!fix.is_optional && !fix.when.empty());
  }
  return {Heading{2, "What to do"}, std::move(items)};
}

std::string affected_words(const Catalog& catalog, const Issue& issue) {
  const Releases releases = releases_of(catalog);
  std::vector<bool> affected;
  for (const Release* release : releases) affected.push_back(affects(issue, release->version));
  const auto count = std::ranges::count(affected, true);
  if (count == 0) return "none of the catalog";
  const bool is_all = count == std::ssize(affected);
  return release_runs(releases, affected) + (affected.back() && !is_all ? " and later" : "");
}

std::vector<Block> section_blocks(const Issue& issue, const std::string& name) {
  for (const auto& [heading, words] : issue.sections)
    if (heading == name) return {Heading{2, name}, Markdown{words}};
  return {};
}

Document issue_document(const SiteData& data, const Issue& issue) {
  Document page{{PageKind::issue, issue.id},
                issue.title,
                concat("Known issue ", issue.id, " of PyTorch on boards: ", issue.symptoms.front()),
                what_to_do_blocks(*data.catalog, issue)};
  add_blocks(page.blocks, fix_commands(data, issue));
  page.blocks.push_back(Terms{{{"Releases", {text(affected_words(*data.catalog, issue))}},
                               {"Boards", concerned_boards(data, issue)},
                               {"If", said(condition_words(issue.when))},
                               {"Kind", {severity_tag(issue)}},
                               {"Name", {code(issue.id)}}}});
  add_blocks(page.blocks, symptom(issue));
  add_blocks(page.blocks, section_blocks(issue, "Fix"));
  for (const Fix& fix : issue.fixes) add_blocks(page.blocks, fix_blocks(fix));
  add_blocks(page.blocks, section_blocks(issue, "How to verify"));
  add_blocks(page.blocks, where(data, issue));
  add_blocks(page.blocks, section_blocks(issue, "Cause"));
  add_blocks(page.blocks, patches(data, issue));
  add_blocks(page.blocks, links(issue));
  return page;
}

}  // namespace torchpatch::report
