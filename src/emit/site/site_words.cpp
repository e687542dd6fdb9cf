// SPDX-License-Identifier: BSD-3-Clause
#include "emit/site/site_words.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch::emit {

std::string release_run(const SiteData& data, std::size_t first, std::size_t last) {
  const std::string& from = data.releases[first]->version.text();
  const std::string& to = data.releases[last]->version.text();
  return first == last ? from : concat(from, first + 1 == last ? ", " : " to ", to);
}

std::string release_runs(const SiteData& data, const std::vector<bool>& chosen) {
  if (std::find(chosen.begin(), chosen.end(), false) == chosen.end()) return "every release";
  std::vector<std::string> runs;
  for (std::size_t first = 0; first < chosen.size(); ++first) {
    if (!chosen[first]) continue;
    std::size_t last = first;
    while (last + 1 < chosen.size() && chosen[last + 1]) ++last;
    runs.push_back(release_run(data, first, last));
    first = last;
  }
  return join(runs, ", ");
}

std::string answer_words(const Answer& answer) {
  switch (answer.status) {
    case IssueStatus::applied:
      break;
    case IssueStatus::not_affected:
      return "not affected";
    case IssueStatus::undecided:
      return "undecided";
    case IssueStatus::declined:
      return "on request";
    case IssueStatus::uncertified:
      return "no certificate";
  }
  switch (answer.kind) {
    case FixKind::patch:
      return answer.variant.empty() ? "patch" : "patch " + answer.variant;
    case FixKind::files:
      return answer.variant.empty() ? "files" : "files " + answer.variant;
    case FixKind::environment:
      return "environment";
    case FixKind::post_build:
      return "build step";
    case FixKind::advice:
      return "advice";
  }
  return {};
}

Tone answer_tone(const Answer& answer) {
  switch (answer.status) {
    case IssueStatus::applied:
      return answer.kind == FixKind::advice ? Tone::caution : Tone::good;
    case IssueStatus::not_affected:
      return Tone::soft;
    case IssueStatus::declined:
      return Tone::caution;
    case IssueStatus::undecided:
    case IssueStatus::uncertified:
      return Tone::bad;
  }
  return Tone::none;
}

const std::vector<Severity>& severities() {
  static const std::vector<Severity> list = {
      {"silent-wrong-results", "silent wrong results", "Wrong results without a message", Tone::bad},
      {"build-failure", "build failure", "The build fails", Tone::bad},
      {"runtime-failure", "runtime failure", "It fails when it runs", Tone::bad},
      {"limitation", "limitation", "Limitations and surprises", Tone::caution}};
  return list;
}

Inline severity_tag(const Issue& issue) {
  for (const Severity& severity : severities()) {
    if (severity.id == issue.severity) return tag(severity.words, severity.tone);
  }
  return tag(issue.severity, Tone::none);
}

Inline issue_link(const Issue& issue) { return link_to({PageKind::issue, issue.id}, issue.title); }
Inline issue_id_link(const std::string& id) { return link_to({PageKind::issue, id}, id); }
Inline board_link(const std::string& id) { return link_to({PageKind::board, id}, id); }
Inline release_link(const std::string& version) { return link_to({PageKind::release, version}, version); }
Inline patchset_link(const std::string& id) { return link_to({PageKind::patchset, id}, id); }

Cell cell(std::string words) { return {{text(std::move(words))}, Tone::none}; }
Cell cell(Line line, Tone tone) { return {std::move(line), tone}; }

}  // namespace torchpatch::emit
