// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "document/document.h"
#include "document/markdown.h"
#include "record/out_files.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

const Issue& find_issue(const std::vector<Issue>& issues, const std::string& id) {
  const auto found = std::find_if(issues.begin(), issues.end(), [&id](const Issue& issue) { return issue.id == id; });
  if (found != issues.end()) return *found;
  throw Error(ErrorKind::internal, concat("writing KNOWN_ISSUES.md: issue ", quote(id), " was not given"));
}

std::vector<const IssueDecision*> with_status(const Manifest& manifest, IssueStatus status) {
  std::vector<const IssueDecision*> decisions;
  for (const IssueDecision& decision : manifest.issues)
    if (decision.status == status) decisions.push_back(&decision);
  return decisions;
}

Paragraph intro(const Manifest& manifest) {
  return {{text(concat("Image ", manifest.image, ", Python ", manifest.python,
                       manifest.host.empty() ? "" : ", built on " + builder(manifest), ". ",
                       counted(manifest.issues.size(), "issue"),
                       " looked at: ", with_status(manifest, IssueStatus::applied).size(),
                       " answered in this tree or its build files, ",
                       with_status(manifest, IssueStatus::undecided).size(), " undecided. Plan ")),
           code(manifest.plan.hex().substr(0, 12)), text(".")}};
}

void add_warnings(const Manifest& manifest, std::vector<Block>& blocks) {
  const auto warn = [&](const std::string& text) { blocks.push_back(Markdown{"> **Warning:** " + text}); };
  if (manifest.stand_in) warn("this is not PyTorch: " + markdown_text(*manifest.stand_in));
  if (manifest.unpatched) warn("this is the pinned tree as it is; no patch was applied.");
  if (const std::size_t undecided = with_status(manifest, IssueStatus::undecided).size(); undecided > 0) {
    warn(counted(undecided, "issue") +
         " may concern this build: a fact is not known, and nothing was done; see [Undecided](#undecided).");
  }
  if (const std::size_t uncertified = with_status(manifest, IssueStatus::uncertified).size(); uncertified > 0) {
    warn(counted(uncertified, "issue") +
         " met a patch without a certificate for these sources; see [Uncertified](#uncertified).");
  }
  for (const std::string& text : manifest.warnings) warn(markdown_text(text));
}

bool has(const std::vector<std::string>& issues, const std::string& issue) {
  return std::find(issues.begin(), issues.end(), issue) != issues.end();
}

/// What answers the issue in the tree.
void add_changes(const Manifest& manifest, const std::string& issue, Items& items) {
  for (const ManifestRepository& repository : manifest.repositories) {
    if (!repository.overridden || !has(repository.overridden->issues, issue)) continue;
    items.items.push_back({text("Submodule "), code(repository.path.text()), text(" at commit "),
                           code(repository.commit.hex()), text(" of "), code(repository.url),
                           text(" instead of the pinned "), code(repository.overridden->replaces.hex())});
  }
  for (const ManifestPatch& patch : manifest.patches) {
    if (!has(patch.issues, issue)) continue;
    items.items.push_back({text("Patch "), code("torchpatch/" + patch.file), text(" in "),
                           code(patch.repository.text()), text(concat(": ", counted(patch.edges.size(), "file"), ", ")),
                           patch.is_certified ? text("certified") : strong("not certified")});
  }
  for (const ManifestAddedFile& file : manifest.added_files) {
    if (!has(file.issues, issue)) continue;
    items.items.push_back({text("Added file "), code(file.path), text(" in "), code(file.repository.text())});
  }
}

void add_settings(const Manifest& manifest, const std::string& issue, Items& items) {
  for (const PlannedSetting& setting : manifest.environment) {
    if (std::ranges::count(origins_of(setting), "issue " + issue) == 0) continue;
    Line& line = items.items.emplace_back(Line{code(setting.name + "=" + setting.value)});
    if (!setting.why.empty()) line.insert(line.end(), {text(": "), text(setting.why)});
    if (!setting.unread.empty())
      line.push_back(text(concat("; ", reading_text(setting), ".")));
    else if (setting.read_at.empty())
      line.push_back(text(". No place is known where this release reads it."));
    else
      line.insert(line.end(), {text(". Read at "), code(setting.read_at), text(".")});
  }
}

/// What was done about the issue here.
Items answer(const Manifest& manifest, const IssueDecision& decision, const Issue& issue) {
  Items items{{{text(decision.reason)}}};
  if (!decision.fix.empty()) {
    Line line = {text("Fix "), code(decision.fix), text(concat(" (", fix_kind_name(decision.kind)))};
    if (!decision.variant.empty()) line.insert(line.end(), {text(", variant "), code(decision.variant)});
    line.push_back(text(")"));
    const auto fix = std::ranges::find(issue.fixes, decision.fix, &Fix::id);
    if (fix != issue.fixes.end()) line.insert(line.end(), {text(": "), text(fix->summary)});
    items.items.push_back(std::move(line));
  }
  add_changes(manifest, decision.issue, items);
  add_settings(manifest, decision.issue, items);
  return items;
}

void add_in_full(const Manifest& manifest, const IssueDecision& decision, const Issue& issue,
                 std::vector<Block>& blocks) {
  blocks.push_back(Heading{3, issue.title});
  blocks.push_back(Paragraph{{code(issue.id), text(" · "), text(issue.severity)}});
  blocks.push_back(answer(manifest, decision, issue));
  if (!issue.symptoms.empty()) {
    blocks.push_back(Paragraph{{text("As a log shows it:")}});
    blocks.push_back(Literal{join(issue.symptoms, "\n")});
  }
  for (const auto& [heading, words] : issue.sections) {
    blocks.push_back(Heading{4, heading});
    blocks.push_back(Markdown{std::string(trim(words))});
  }
  if (issue.links.empty()) return;
  std::vector<std::string> links;
  for (const std::string& link : issue.links) links.push_back(concat("- <", comment_text(link), ">"));
  blocks.push_back(Heading{4, "Links"});
  blocks.push_back(Markdown{join(links, "\n")});
}

struct Chapter {
  IssueStatus status;
  bool is_in_full;
  const char* heading;
  const char* meaning;
};

constexpr Chapter kChapters[] = {
    {IssueStatus::undecided, true, "Undecided",
     "A fact that decides these is not known. Read them, and say the fact with `--set` when you prepare."},
    {IssueStatus::uncertified, true, "Uncertified",
     "These concern this build, but nobody has certified their patch for these sources."},
    {IssueStatus::applied, true, "Applied", "These concern this build and are answered."},
    {IssueStatus::declined, false, "Declined", "These were left out by choice, or every fix of theirs is optional."},
    {IssueStatus::not_affected, false, "Not affected", "These do not concern this build."}};

}  // namespace

std::string known_issues_page(const Manifest& manifest, const std::vector<Issue>& issues) {
  Document page{.title = concat("Known issues of ", manifest.stand_in ? "a stand-in for PyTorch " : "PyTorch ",
                                manifest.release, " on ", manifest.board)};
  page.blocks.push_back(intro(manifest));
  add_warnings(manifest, page.blocks);
  for (const auto& [status, is_in_full, heading, meaning] : kChapters) {
    const std::vector<const IssueDecision*> decisions = with_status(manifest, status);
    if (decisions.empty()) continue;
    page.blocks.push_back(Heading{2, heading});
    page.blocks.push_back(Markdown{meaning});
    Items brief;
    for (const IssueDecision* decision : decisions) {
      const Issue& issue = find_issue(issues, decision->issue);
      if (is_in_full) add_in_full(manifest, *decision, issue, page.blocks);
      brief.items.push_back({code(issue.id), text(", "), text(issue.title), text(": "), text(decision->reason)});
    }
    if (!is_in_full) page.blocks.push_back(std::move(brief));
  }
  return document_markdown(page);
}

}  // namespace torchpatch::record
