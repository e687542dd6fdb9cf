// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "document/document.h"
#include "document/text.h"
#include "record/tree_scripts.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

const Issue& find_issue(const std::vector<Issue>& issues, const std::string& id) {
  const auto found = std::ranges::find(issues, id, &Issue::id);
  if (found != issues.end()) return *found;
  throw Error(ErrorKind::internal, concat("writing KNOWN_ISSUES.md: issue ", quote(id), " was not given"));
}

std::uint64_t count(const Manifest& manifest, IssueStatus status) {
  return static_cast<std::uint64_t>(std::ranges::count(manifest.issues, status, &IssueDecision::status));
}

/// What the page's parts are: who has to do something, or has done it.
enum class IssuePart { yours, done, declined, know, none };

IssuePart part_of(const IssueDecision& decision, const Issue& issue) {
  static constexpr IssuePart kOfStatus[] = {IssuePart::done, IssuePart::none, IssuePart::yours, IssuePart::declined,
                                            IssuePart::yours};
  if (decision.status != IssueStatus::applied || decision.kind != FixKind::advice)
    return entry_of(kOfStatus, decision.status);
  return is_to_act_on(issue) ? IssuePart::yours : IssuePart::know;
}

/// An issue with what becomes of it here.
struct Entry {
  const IssueDecision* decision;
  const Issue* issue;
  const Fix* fix;  ///< or null
};

/// Wrong results first: nobody sees them.
std::size_t gravity(const Entry& entry) {
  static const std::vector<std::string> kOrder = {"silent-wrong-results", "build-failure", "runtime-failure"};
  return static_cast<std::size_t>(std::ranges::find(kOrder, entry.issue->severity) - kOrder.begin());
}

using IssueParts = std::map<IssuePart, std::vector<Entry>>;

/// Returns the issues by part, the gravest first.
IssueParts issue_parts(const Manifest& manifest, const std::vector<Issue>& issues) {
  IssueParts parts;
  for (const IssueDecision& decision : manifest.issues) {
    const Issue& issue = find_issue(issues, decision.issue);
    const auto fix = std::ranges::find(issue.fixes, decision.fix, &Fix::id);
    parts[part_of(decision, issue)].push_back({&decision, &issue, fix == issue.fixes.end() ? nullptr : &*fix});
  }
  for (auto& [part, entries] : parts) std::ranges::stable_sort(entries, {}, gravity);
  return parts;
}

/// Returns "4 answered by a patch or added files, 3 by a variable": advice answers nothing.
std::string done_words(const std::vector<Entry>& done) {
  std::size_t changed = 0, set = 0, stepped = 0;
  for (const Entry& entry : done) {
    const FixKind kind = entry.decision->kind;
    ++(kind == FixKind::environment ? set : kind == FixKind::post_build ? stepped : changed);
  }
  std::vector<std::string> words;
  const auto add = [&words](std::size_t count, const char* by) {
    if (count > 0) words.push_back(concat(count, words.empty() ? " handled by " : " by ", by));
  };
  add(changed, "patches or added files");
  add(set, "variables");
  add(stepped, "steps of the build");
  return words.empty() ? "none handled in the tree" : join(words, ", ");
}

Paragraph intro(const Manifest& manifest, IssueParts& parts) {
  const std::size_t declined = parts[IssuePart::declined].size();
  return {{text(concat("Image ", manifest.image, ", Python ", manifest.python,
                       manifest.host.empty() ? "" : ", built on " + builder(manifest), ". Of ",
                       counted(manifest.issues.size(), "known issue"), ": ", done_words(parts[IssuePart::done]), ", ",
                       parts[IssuePart::yours].size(), " for you to do, ",
                       declined > 0 ? concat(declined, " declined, ") : "", parts[IssuePart::know].size(),
                       " for information. Plan ")),
           code(manifest.plan.hex().substr(0, 12)), text(".")}};
}

void add_warnings(const Manifest& manifest, std::vector<Block>& blocks) {
  const auto warn = [&](const std::string& text) { blocks.push_back(Markdown{"> **Warning:** " + text}); };
  if (manifest.stand_in) warn("this is not PyTorch: " + markdown_text(*manifest.stand_in));
  if (manifest.unpatched) warn("this is the unpatched pinned tree.");
  if (const std::uint64_t undecided = count(manifest, IssueStatus::undecided); undecided > 0) {
    warn(counted(undecided, "issue") +
         " may affect this build: a fact is unknown, so nothing was done; see "
         "[Action required](#action-required).");
  }
  if (const std::uint64_t uncertified = count(manifest, IssueStatus::uncertified); uncertified > 0) {
    warn(concat(counted(uncertified, "issue"), uncertified == 1 ? " has" : " have",
                " a patch without a certificate for these sources; see [Action required](#action-required)."));
  }
  for (const std::string& text : manifest.warnings) warn(markdown_text(text));
  if (!is_partial(manifest)) return;
  blocks.push_back(Paragraph{{text("Missing:")}});
  Items& missing = std::get<Items>(blocks.emplace_back(Items{}));
  for (const std::string& each : gap_lines(manifest)) missing.items.push_back({text(each)});
}

bool has(const std::vector<std::string>& issues, const std::string& issue) {
  return std::ranges::count(issues, issue) > 0;
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

/// Adds a line of the catalog: what stands between backticks is code.
void add_prose(const std::string& words, Line& line) {
  const std::vector<std::string> parts = split(words, '`');
  if (parts.size() % 2 == 0) {  // one of them has no other
    line.push_back(text(words));
    return;
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!parts[i].empty()) line.push_back(i % 2 == 1 ? code(parts[i]) : text(parts[i]));
}

void add_settings(const Manifest& manifest, const std::string& issue, Items& items) {
  for (const PlannedSetting& setting : manifest.environment) {
    if (std::ranges::count(origins_of(setting), "issue " + issue) == 0) continue;
    Line& line = items.items.emplace_back(Line{code(setting.name + "=" + setting.value)});
    if (!setting.why.empty()) line.push_back(text(": "));
    add_prose(setting.why, line);
    if (!setting.unread.empty())
      line.push_back(text(concat("; ", reading_text(setting), ".")));
    else if (setting.read_at.empty())
      line.push_back(text(". Not known where this release reads it."));
    else
      line.insert(line.end(), {text(". Read at "), code(setting.read_at), text(".")});
  }
}

/// What is to be done about an issue, or was, in a line.
std::string in_short(const Entry& entry) {
  const auto& [decision, issue, fix] = entry;
  if (decision->status == IssueStatus::undecided) {
    return concat(decision->reason, "; pass it with --set when you prepare",
                  issue->fixes.empty() ? "" : ", or: " + issue->fixes.front().summary);
  }
  if (decision->status == IssueStatus::uncertified)
    return "its patch has no certificate for these sources: review it (torchpatch audit) before you trust the build";
  if (decision->status == IssueStatus::declined) return "not fixed: " + decision->reason;
  return fix ? fix->summary : decision->reason;
}

struct IssuePartText {
  IssuePart part;
  const char *heading, *meaning;
};

constexpr IssuePartText kParts[] = {
    {IssuePart::yours, "Action required", "These affect this build, and nothing in the tree fixes them."},
    {IssuePart::done, "Fixed for you",
     "Patches, added files, variables of `build.env` and steps of `build.sh` fix these."},
    {IssuePart::declined, "Declined", "These apply, but no fix is used here."},
    {IssuePart::know, "For information",
     "Limitations, and issues that only some builds have. Read them if something fails."}};

/// The list of what follows, so that nobody must read it all.
void add_overview(const IssueParts& parts, std::vector<Block>& blocks) {
  for (const auto& [part, heading, meaning] : kParts) {
    const auto found = parts.find(part);
    if (found == parts.end() || found->second.empty()) continue;
    Items items;
    for (const Entry& entry : found->second) {
      items.items.push_back({strong(entry.issue->title), text(": ")});
      add_prose(in_short(entry), items.items.back());
    }
    blocks.push_back(Heading{3, concat(heading, ": ", found->second.size())});
    blocks.push_back(std::move(items));
  }
}

/// What was done about the issue here, or why nothing.
Items what_was_done(const Manifest& manifest, const Entry& entry) {
  const IssueDecision& decision = *entry.decision;
  Line line = {text(decision.reason)};
  if (!decision.fix.empty()) {
    line.insert(line.end(), {text("; fix "), code(decision.fix), text(concat(" (", name_of(decision.kind)))});
    if (!decision.variant.empty()) line.insert(line.end(), {text(", variant "), code(decision.variant)});
    line.push_back(text(")"));
  }
  Items items{{std::move(line)}};
  add_changes(manifest, decision.issue, items);
  add_settings(manifest, decision.issue, items);
  return items;
}

std::string_view section_of(const Issue& issue, const std::string& name) {
  const auto found = std::ranges::find(issue.sections, name, &std::pair<std::string, std::string>::first);
  return found == issue.sections.end() ? "" : trim(found->second);
}

void add_page_section(const Issue& issue, const std::string& name, std::vector<Block>& blocks) {
  constexpr std::string_view kAbove = "As above";  // in the symptom, which this page leaves out otherwise
  std::string_view words = section_of(issue, name), above;
  if (starts_with(words, kAbove)) above = section_of(issue, "Symptom");
  if (starts_with(words, concat(kAbove, "."))) words = trim(words.substr(kAbove.size() + 1));
  if (words.empty() && above.empty()) return;
  blocks.push_back(Paragraph{{strong(name)}});
  for (const std::string_view part : {above, words})
    if (!part.empty()) blocks.push_back(Markdown{std::string(part)});
}

/// What a board's owner needs where there is no network: how to know it, what to do, how to see that it is done. Causes
/// are a command away.
void add_entry(const Manifest& manifest, IssuePart part, const Entry& entry, std::vector<Block>& blocks) {
  const Issue& issue = *entry.issue;
  blocks.push_back(Heading{3, issue.title});
  const bool is_short = part == IssuePart::know || part == IssuePart::declined;
  Line lead = {code(issue.id), text(concat(" · ", issue.severity, " · "))};
  add_prose(in_short(entry), lead);
  blocks.push_back(Paragraph{std::move(lead)});
  if (!is_short) blocks.push_back(what_was_done(manifest, entry));
  if (part != IssuePart::done) {
    const auto telling = std::min<std::ptrdiff_t>(4, std::ssize(issue.symptoms));  // the most telling come first
    blocks.push_back(Literal{join({issue.symptoms.begin(), issue.symptoms.begin() + telling}, "\n")});
    add_page_section(issue, "Fix", blocks);
  }
  if (!is_short) add_page_section(issue, "How to verify", blocks);
}

/// Published vulnerabilities: those of this release with what to do; of the others the ids.
void add_advisories(const Manifest& manifest, std::vector<Block>& blocks) {
  if (manifest.advisories.empty()) return;
  blocks.push_back(Heading{2, "Published vulnerabilities"});
  Items told;
  for (const AdvisoryDecision& each : manifest.advisories) {
    if (each.status == AdvisoryStatus::not_affected && each.note.empty()) continue;
    Line& line = told.items.emplace_back(Line{strong(each.names()), text(": ")});
    add_prose(concat(each.about.summary, each.status == AdvisoryStatus::affected ? " " + each.about.advice : ""), line);
    line.push_back(text(concat(" (", each.text(), ", looked up on ", each.about.looked_up, ")")));
  }
  if (!told.items.empty()) blocks.push_back(std::move(told));
  const std::vector<std::string> others = advisories_with(manifest.advisories, AdvisoryStatus::not_affected);
  if (!others.empty()) blocks.push_back(Paragraph{{text(concat("Not affected by: ", join(others, ", "), "."))}});
}

}  // namespace

std::string known_issues_page(const Manifest& manifest, const std::vector<Issue>& issues) {
  Document page{.title = concat("Known issues of ", manifest.stand_in ? "a stand-in for PyTorch " : "PyTorch ",
                                manifest.release, " on ", manifest.board)};
  IssueParts parts = issue_parts(manifest, issues);
  page.blocks.push_back(intro(manifest, parts));
  add_warnings(manifest, page.blocks);
  page.blocks.push_back(Heading{2, "Summary"});
  add_overview(parts, page.blocks);
  for (const auto& [part, heading, meaning] : kParts) {
    if (parts[part].empty()) continue;
    page.blocks.push_back(Heading{2, heading});
    page.blocks.push_back(Markdown{meaning});
    for (const Entry& entry : parts[part]) add_entry(manifest, part, entry, page.blocks);
  }
  add_advisories(manifest, page.blocks);
  page.blocks.push_back(Heading{2, "More"});
  page.blocks.push_back(Markdown{concat(
      "`torchpatch show issue ID` has the cause and the sources of each. ",
      counted(parts[IssuePart::none].size(), "known issue"), parts[IssuePart::none].size() == 1 ? " does" : " do",
      " not affect this build; `manifest.json` and `torchpatch explain` on this directory list the reasons.")});
  return document_markdown(page);
}

}  // namespace torchpatch::record
