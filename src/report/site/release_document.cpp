// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "document/document.h"
#include "report/site/site_pages.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::string without_git(const std::string& url) { return ends_with(url, ".git") ? url.substr(0, url.size() - 4) : url; }

/// Returns the page of a commit, or of a line of a file in it; empty if the host is not known to have such pages.
std::string commit_page(const ComponentPin& pin, const std::string& file = "", const std::string& line = "") {
  if (pin.is_content() || !starts_with(pin.url, "https://github.com/")) return {};
  const std::string& commit = pin.commit.hex();
  if (file.empty()) return concat(without_git(pin.url), "/tree/", commit);
  return concat(without_git(pin.url), "/blob/", commit, "/", file, "#L", line);
}

Table components(const Release& release) {
  Table table{"Components and their pins", {"Component", "Version", "Tag", "Commit"}, {}};
  for (const auto& [component, pin] : release.components) {
    const std::string page = commit_page(pin);
    const std::string hex = pin.commit.hex();
    table.rows.push_back({cell(name_of(component)), cell(pin.version), cell({code(pin.tag)}),
                          cell({page.empty() ? code(hex) : web_link(page, hex)})});
  }
  return table;
}

/// Converts "vision:setup.py:45" to the component's pin, the file and the line.
Inline flag_place(const Release& release, const std::string& read_at) {
  std::vector<std::string> parts = split(read_at, ':');
  Component component = Component::torch;
  if (parts.size() == 3) {
    component = parse_name<Component>(parts[0]).value_or(Component::torch);
    parts.erase(parts.begin());
  }
  const ComponentPin* pin = release.find(component);
  const std::string page = pin && parts.size() == 2 ? commit_page(*pin, parts[0], parts[1]) : "";
  return page.empty() ? code(read_at) : web_link(page, read_at);
}

std::vector<Block> flags(const Release& release) {
  if (release.flags.empty()) return {};
  Table table{"Variables that the build reads", {"Variable", "Read at"}, {}};
  for (const auto& [name, place] : release.flags)
    table.rows.push_back({cell({code(name)}), cell({flag_place(release, place)})});
  return {Heading{2, "Variables that the build reads"},
          Paragraph{
              {text("One place for each. A variable that is not listed has no effect on the build of this release.")}},
          Fold{counted(release.flags.size(), "variable"), {std::move(table)}, false}};
}

std::vector<Block> boards(const SiteData& data, const Release& release) {
  Table table{"Supported boards", {"Board", "Changed in the tree", "Image", "Python"}, {}};
  Items misfits;
  for (const auto& [id, board] : data.catalog->boards) {
    if (const Plan* plan = plan_for(data, release, id)) {
      const std::vector<Line> changes = tree_changes(*plan);
      table.rows.push_back({cell({board_link(id)}),
                            cell(changes.empty() ? Line{text("nothing")} : joined(changes, ", ")),
                            cell(plan->image->id), cell(plan->python)});
    } else {
      misfits.items.push_back({board_link(id), text(": " + misfit_words(data, release, id))});
    }
  }
  std::vector<Block> blocks = {Heading{2, "Boards"}};
  if (!table.rows.empty()) blocks.push_back(std::move(table));
  if (misfits.items.empty()) return blocks;
  const std::string summary = concat(counted(misfits.items.size(), "board"), " not supported");
  blocks.push_back(Fold{summary, {std::move(misfits)}, false});
  return blocks;
}

/// Boards grouped by their answer for one issue.
using BoardsByAnswer = std::vector<std::pair<IssueDecision, std::vector<std::string>>>;

BoardsByAnswer answers_for(const SiteData& data, const Release& release, const std::string& issue) {
  BoardsByAnswer list;
  for (const auto& [id, board] : data.catalog->boards) {
    const Plan* plan = plan_for(data, release, id);
    if (!plan) continue;
    for (const IssueDecision& decision : plan->issues) {
      if (decision.issue != issue) continue;
      const IssueDecision answer = answer_of(decision);
      auto place = std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.first == answer; });
      if (place == list.end()) place = list.insert(list.end(), {answer, {}});
      place->second.push_back(id);
    }
  }
  return list;
}

std::size_t boards_of(const SiteData& data, const Release& release) {
  return static_cast<std::size_t>(
      std::ranges::count_if(data.plans, [&](const auto& each) { return each.first.first == release.version; }));
}

Table issues(const SiteData& data, const Release& release) {
  Table table{"Known issues of the release", {"Issue", "Kind", "What is done", "Boards"}, {}};
  const std::size_t all = boards_of(data, release);
  for (const Issue* issue : issues_by_severity(*data.catalog)) {
    for (const auto& [answer, ids] : answers_for(data, release, issue->id)) {
      std::vector<Line> links;
      for (const std::string& board : ids) links.push_back({board_link(board)});
      table.rows.push_back({cell({issue_link(*issue)}), cell({severity_tag(*issue)}),
                            cell({text(answer_words(answer))}, answer_tone(answer)),
                            cell(ids.size() == all ? Line{text("all")} : joined(links, ", "))});
    }
  }
  return table;
}

Line tools(const Release& release) {
  std::vector<Line> bounds;
  for (const auto& [tool, range] : release.build_tools) bounds.push_back({text(tool + " "), code(range.text())});
  return joined(bounds, ", ");
}

std::string version_of(const Release& release, Component component) {
  const ComponentPin* pin = release.find(component);
  return pin ? pin->version : "none";
}

}  // namespace

std::vector<Block> source_blocks(const std::vector<SourceNote>& sources) {
  Table table{"Sources of the figures", {"Figures", "Checked", "Source"}, {}};
  for (const SourceNote& note : sources) {
    table.rows.push_back(
        {cell(join(note.keys, ", ")),
         cell({tag(note.verified ? "verified" : "unverified", note.verified ? Tone::good : Tone::caution)}),
         cell({web_link(note.source, note.source)})});
  }
  if (table.rows.empty()) return {};
  return {Heading{2, "Sources"}, std::move(table)};
}

Document release_document(const SiteData& data, const Release& release) {
  const std::string& version = release.version.text();
  Document page{{PageKind::release, version},
                "PyTorch " + version,
                concat("PyTorch ", version, " on boards: pins, tools, supported boards, known issues.")};
  if (release.stand_in)
    page.blocks.push_back(Paragraph{{text("This is not PyTorch: " + *release.stand_in)}, Paragraph::Style::note});
  Items notes;
  for (const std::string& note : release.notes) notes.items.push_back({text(note + ".")});
  for (const std::string& line : content_lines(release.components)) notes.items.push_back({text(line + ".")});
  add_blocks(page.blocks, {Terms{{{"Released", {text(release.date)}},
                                  {"Python", {text(join(release.python, ", "))}},
                                  {"CUDA", release.cuda ? Line{code(release.cuda->text())} : Line{}},
                                  {"Built by", {text(front_ends_text(release))}},
                                  {"No longer supports", said(join(release.unsupported_archs, ", "))},
                                  {"Build tools", tools(release)},
                                  {"Build environment", settings_line(release.environment)}}},
                           Heading{2, "Components"}, components(release), std::move(notes)});
  add_blocks(page.blocks, boards(data, release));
  add_blocks(page.blocks, {Heading{2, "Known issues"}, issues(data, release)});
  add_blocks(page.blocks, flags(release));
  add_blocks(page.blocks, source_blocks(release.sources));
  return page;
}

Document releases_document(const SiteData& data) {
  Table table{"Releases of the catalog", {"Release", "Date", "torchvision", "torchaudio", "Python", "Boards"}, {}};
  for (auto release = data.releases.rbegin(); release != data.releases.rend(); ++release) {
    table.rows.push_back({cell({release_link((*release)->version.text())}), cell((*release)->date),
                          cell(version_of(**release, Component::vision)), cell(version_of(**release, Component::audio)),
                          cell(join((*release)->python, ", ")), cell(std::to_string(boards_of(data, **release)))});
  }
  return {{PageKind::releases},
          "Releases",
          "The releases of PyTorch that torchpatch supports.",
          {Paragraph{{text("Each is pinned by commit, with the torchvision and torchaudio that belong to it.")}},
           std::move(table)}};
}

}  // namespace torchpatch::report
