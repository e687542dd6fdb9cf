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
  for (const IssueDecision& decision : manifest.issues) {
    if (decision.status == status) decisions.push_back(&decision);
  }
  return decisions;
}

std::string intro(const Manifest& manifest) {
  return concat("# Known issues of ", manifest.stand_in ? "a stand-in for PyTorch " : "PyTorch ",
                markdown_text(manifest.release), " on ", markdown_text(manifest.board), "\n\nImage ",
                markdown_text(manifest.image), ", Python ", markdown_text(manifest.python),
                manifest.host.empty() ? "" : ", built on " + markdown_text(builder(manifest)), ". ",
                counted(manifest.issues.size(), "issue"),
                " looked at: ", with_status(manifest, IssueStatus::applied).size(),
                " answered in this tree or its build files, ", with_status(manifest, IssueStatus::undecided).size(),
                " undecided. Plan ", code_span(manifest.plan.hex().substr(0, 12)), ".\n");
}

std::string warning(const std::string& text) { return concat("\n> **Warning:** ", text, "\n"); }

std::string warnings(const Manifest& manifest) {
  std::string out;
  if (manifest.stand_in) out += warning("this is not PyTorch: " + markdown_text(*manifest.stand_in));
  if (manifest.unpatched) out += warning("this is the pinned tree as it is; no patch was applied.");
  const std::size_t undecided = with_status(manifest, IssueStatus::undecided).size();
  if (undecided > 0) {
    out += warning(
        concat(counted(undecided, "issue"),
               " may concern this build: a fact is not known, and nothing was done; see [Undecided](#undecided)."));
  }
  const std::size_t uncertified = with_status(manifest, IssueStatus::uncertified).size();
  if (uncertified > 0) {
    out += warning(concat(counted(uncertified, "issue"),
                          " met a patch without a certificate for these sources; see [Uncertified](#uncertified)."));
  }
  for (const std::string& text : manifest.warnings) out += warning(markdown_text(text));
  return out;
}

bool has(const std::vector<std::string>& issues, const std::string& issue) {
  return std::find(issues.begin(), issues.end(), issue) != issues.end();
}

std::string overrides_of(const Manifest& manifest, const std::string& issue) {
  std::string out;
  for (const ManifestRepository& repository : manifest.repositories) {
    if (!repository.overridden || !has(repository.overridden->issues, issue)) continue;
    out += concat("- Submodule ", code_span(repository.path.text()), " at commit ", code_span(repository.commit.hex()),
                  " of ", code_span(repository.url), " instead of the pinned ",
                  code_span(repository.overridden->replaces.hex()), "\n");
  }
  return out;
}

std::string patches_of(const Manifest& manifest, const std::string& issue) {
  std::string out;
  for (const ManifestPatch& patch : manifest.patches) {
    if (!has(patch.issues, issue)) continue;
    out +=
        concat("- Patch ", code_span("torchpatch/" + patch.file), " in ", code_span(patch.repository.text()), ": ",
               counted(patch.edges.size(), "file"), patch.is_certified ? ", certified" : ", **not certified**", "\n");
  }
  for (const ManifestAddedFile& file : manifest.added_files) {
    if (!has(file.issues, issue)) continue;
    out += concat("- Added file ", code_span(file.path), " in ", code_span(file.repository.text()), "\n");
  }
  return out;
}

std::string settings_of(const Manifest& manifest, const std::string& issue) {
  std::string out;
  for (const PlannedSetting& setting : manifest.environment) {
    if (setting.origin != "issue " + issue) continue;
    out += concat("- ", code_span(setting.name + "=" + setting.value));
    if (!setting.why.empty()) out += ": " + markdown_text(setting.why);
    out += setting.read_at.empty() ? ". No place is known where this release reads it.\n"
                                   : concat(". Read at ", code_span(setting.read_at), ".\n");
  }
  return out;
}

/// What was done about the issue here.
std::string answer(const Manifest& manifest, const IssueDecision& decision, const Issue& issue) {
  std::string out = concat("- ", markdown_text(decision.reason), "\n");
  const auto fix = std::find_if(issue.fixes.begin(), issue.fixes.end(),
                                [&decision](const Fix& candidate) { return candidate.id == decision.fix; });
  if (!decision.fix.empty()) {
    out += concat("- Fix ", code_span(decision.fix), " (", fix_kind_name(decision.kind));
    if (!decision.variant.empty()) out += concat(", variant ", code_span(decision.variant));
    out += ")";
    if (fix != issue.fixes.end()) out += ": " + markdown_text(fix->summary);
    out += "\n";
  }
  return out + overrides_of(manifest, decision.issue) + patches_of(manifest, decision.issue) +
         settings_of(manifest, decision.issue);
}

std::string issue_in_full(const Manifest& manifest, const IssueDecision& decision, const Issue& issue) {
  std::string out = concat("\n### ", markdown_text(issue.title), "\n\n", code_span(issue.id), " · ",
                           markdown_text(issue.severity), "\n\n", answer(manifest, decision, issue));
  if (!issue.symptoms.empty()) out += "\nAs a log shows it:\n\n" + code_block(join(issue.symptoms, "\n"), "text");
  for (const auto& [heading, text] : issue.sections) {
    out += concat("\n#### ", markdown_text(heading), "\n\n", trim(text), "\n");
  }
  if (!issue.links.empty()) out += "\n#### Links\n\n";
  for (const std::string& link : issue.links) out += concat("- <", comment_text(link), ">\n");
  return out;
}

std::string chapter_in_full(const Manifest& manifest, const std::vector<Issue>& issues, IssueStatus status,
                            const char* heading, const char* meaning) {
  const std::vector<const IssueDecision*> decisions = with_status(manifest, status);
  if (decisions.empty()) return {};
  std::string out = concat("\n## ", heading, "\n\n", meaning, "\n");
  for (const IssueDecision* decision : decisions) {
    out += issue_in_full(manifest, *decision, find_issue(issues, decision->issue));
  }
  return out;
}

std::string chapter_in_brief(const Manifest& manifest, const std::vector<Issue>& issues, IssueStatus status,
                             const char* heading, const char* meaning) {
  const std::vector<const IssueDecision*> decisions = with_status(manifest, status);
  if (decisions.empty()) return {};
  std::string out = concat("\n## ", heading, "\n\n", meaning, "\n\n");
  for (const IssueDecision* decision : decisions) {
    out += concat("- ", code_span(decision->issue), ", ", markdown_text(find_issue(issues, decision->issue).title),
                  ": ", markdown_text(decision->reason), "\n");
  }
  return out;
}

}  // namespace

std::string known_issues_page(const Manifest& manifest, const std::vector<Issue>& issues) {
  return concat(
      intro(manifest), warnings(manifest),
      chapter_in_full(
          manifest, issues, IssueStatus::undecided, "Undecided",
          "A fact that decides these is not known. Read them, and say the fact with `--set` when you prepare."),
      chapter_in_full(manifest, issues, IssueStatus::uncertified, "Uncertified",
                      "These concern this build, but nobody has certified their patch for these sources."),
      chapter_in_full(manifest, issues, IssueStatus::applied, "Applied", "These concern this build and are answered."),
      chapter_in_brief(manifest, issues, IssueStatus::declined, "Declined",
                       "These were left out by choice, or every fix of theirs is optional."),
      chapter_in_brief(manifest, issues, IssueStatus::not_affected, "Not affected",
                       "These do not concern this build."));
}

}  // namespace torchpatch::record
