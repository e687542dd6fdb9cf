// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "record/json.h"
#include "report/site/site_pages.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// Returns the releases of the catalog that are affected, and whether later ones would be.
std::string affected_words(const SiteData& data, const Issue& issue) {
  std::vector<bool> affected;
  for (const Release* release : data.releases) affected.push_back(affects(issue, release->version));
  const bool goes_on = !affected.empty() && affected.back();
  if (std::find(affected.begin(), affected.end(), true) == affected.end()) return "none of the catalog";
  const bool is_all = std::find(affected.begin(), affected.end(), false) == affected.end();
  return release_runs(data, affected) + (goes_on && !is_all ? " and later" : "");
}

std::string kind_words(const Fix& fix) {
  static constexpr const char* kKinds[] = {"patch", "environment of the build", "added files", "step of the build",
                                           "advice"};
  return kKinds[static_cast<std::size_t>(fix.kind)];
}

std::vector<Block> fix_blocks(const Fix& fix) {
  Line kind = {text(kind_words(fix))};
  if (!fix.patchset.empty()) kind.insert(kind.end(), {text(", patchset "), patchset_link(fix.patchset)});
  Terms facts{{{"Name", {code(fix.id)}},
               {"Kind", std::move(kind)},
               {"Where", fix.when.clauses.empty() ? Line{} : Line{text(condition_text(fix.when))}}}};
  if (fix.is_optional) facts.rows.push_back({"Only when asked for", {code("torchpatch prepare --with " + fix.id)}});
  std::vector<Block> blocks = {Heading{3, fix.summary}, std::move(facts)};
  Table settings{"Variables of " + fix.id, {"Variable", "Value", "Why"}, {}};
  for (const EnvironmentSetting& setting : fix.environment)
    settings.rows.push_back({cell({code(setting.name)}), cell({code(setting.value)}), cell(setting.why)});
  if (!settings.rows.empty()) blocks.push_back(std::move(settings));
  if (!fix.commands.empty()) blocks.push_back(Literal{join(fix.commands, "\n") + "\n"});
  return blocks;
}

/// Returns the patchsets of the fixes, each once.
std::vector<const Patchset*> patchsets_of(const Catalog& catalog, const Issue& issue) {
  std::vector<const Patchset*> patchsets;
  for (const Fix& fix : issue.fixes) {
    const auto found = catalog.patchsets.find(fix.patchset);
    const bool is_new = found != catalog.patchsets.end() &&
                        std::find(patchsets.begin(), patchsets.end(), &found->second) == patchsets.end();
    if (is_new) patchsets.push_back(&found->second);
  }
  return patchsets;
}

/// A section that has no heading of its own below the page's: Markdown as it is.
std::vector<Block> section(const Issue& issue, const std::string& name) {
  for (const auto& [heading, words] : issue.sections)
    if (heading == name) return {Heading{2, name}, Markdown{words}};
  return {};
}

std::vector<Block> symptom(const Issue& issue) {
  std::vector<Block> blocks = section(issue, "Symptom");
  if (!blocks.empty()) blocks.insert(blocks.begin() + 1, Block(Literal{join(issue.symptoms, "\n") + "\n"}));
  return blocks;
}

std::vector<Block> where(const SiteData& data, const Issue& issue) {
  std::vector<Block> blocks = {Heading{2, "Releases and boards"}};
  Table table = answer_table(data, issue.id);
  if (table.rows.empty()) {
    blocks.push_back(
        Paragraph{{text("No image of a board in the catalog meets this as it is: it takes what is installed later, "
                        "another machine to build on, or a setting. With those, ask "),
                   code("torchpatch explain"), text(".")}});
    return blocks;
  }
  blocks.push_back(
      Paragraph{{text("What torchpatch does about it, by release; boards and images that are not here are "
                      "not affected. A dash: not affected, or the release does not go with the image.")}});
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

Document issue_document(const SiteData& data, const Issue& issue) {
  Document page{{PageKind::issue, issue.id},
                issue.title,
                concat("Known issue ", issue.id, " of PyTorch on boards: ", issue.symptoms.front()),
                {Terms{{{"Kind", {severity_tag(issue)}},
                        {"Releases", {text(affected_words(data, issue))}},
                        {"Where", {text(condition_text(issue.when))}},
                        {"Name", {code(issue.id)}}}}}};
  add_blocks(page.blocks, symptom(issue));
  add_blocks(page.blocks, section(issue, "Cause"));
  add_blocks(page.blocks, section(issue, "Fix"));
  for (const Fix& fix : issue.fixes) add_blocks(page.blocks, fix_blocks(fix));
  add_blocks(page.blocks, section(issue, "How to verify"));
  add_blocks(page.blocks, where(data, issue));
  add_blocks(page.blocks, patches(data, issue));
  add_blocks(page.blocks, links(issue));
  return page;
}

}  // namespace torchpatch::report
