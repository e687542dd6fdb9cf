// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"

#include <algorithm>

#include "model/url.h"
#include "report/shown.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// Returns "A, B" or, if there are many, "A, B and 18 more".
std::string place_names(const std::vector<std::string>& names, bool all) {
  constexpr std::size_t kSome = 3;
  if (all || names.size() <= kSome + 1) return join(names, ", ");
  return concat(join({names.begin(), names.begin() + kSome}, ", "), " and ", names.size() - kSome, " more");
}

/// Returns a line for each group of places with equal `text`, after their names.
template <typename Place, typename Text>
std::vector<std::string> grouped(const std::vector<Place>& places, bool all, Text text) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const Place& place : places) {
    const std::string said_of = text(place);
    auto known = std::ranges::find_if(groups, [&](const auto& group) { return group.first == said_of; });
    if (known == groups.end()) known = groups.insert(groups.end(), {said_of, {}});
    known->second.push_back(place.name);
  }
  std::vector<std::string> lines;
  for (const auto& [said_of, names] : groups)
    lines.push_back(concat(place_names(names, all), names.size() == 1 ? ", was at " : ", were at ", said_of));
  return lines;
}

std::string lost_text(const LostPlace& place) {
  return concat(place.before, place.candidates.empty() ? ": no longer read by any listed file"
                                                       : concat("; perhaps ", join(place.candidates, " | ")));
}

std::string changed_text(const ChangedPlace& place) {
  return concat(place.before, "; now ", place.after, ": ", place.line);
}

std::string citation_text(const WrongCitation& citation) {
  return concat(citation.place, citation.words.empty() ? "" : concat(" ", quote(citation.words)),
                citation.found.empty() ? "" : concat("; ", citation.found));
}

std::string submodule_text(const SubmoduleChange& change) {
  if (change.change == "new") {
    return change.found.empty() ? concat("new ", change.repository, ": not found in any copy")
                                : concat("new ", change.repository, ": ", change.after, ", in ", quote(change.found));
  }
  return concat(change.change, " ", change.repository, ": ",
                change.after.empty() ? change.before : concat(change.before, " became ", change.after));
}

std::string licence_text(const LicenceChange& change) { return concat(change.change, " ", change.file); }

std::string plan_change_text(const PlanChange& change, bool all) {
  const bool begins = change.before.status == IssueStatus::not_affected;
  const std::string now = begins && change.after.status == IssueStatus::declined ? "no fix is used by default"
                                                                                 : standing_text(change.after);
  return concat(change.after.issue, " on ", place_names(change.boards, all), ": ",
                begins ? "newly affected, " : concat(standing_text(change.before), " became "), now,
                all ? concat(", for ", change.after.reason) : "");
}

std::string pin_text(const NewPin& pin, const Release& release) {
  const std::string table = pin.table ? concat(", by ", pin.table->file, " of commit ", pin.table->commit.hex(), " in ",
                                               quote(pin.table->repository))
                                      : "";
  const std::string commit = release.find(pin.component)->is_content() ? "constructed of its content"
                             : pin.asked.empty()
                                 ? "as given"
                                 : concat("by tag ", pin.tag, " of ", join(collect(pin.asked, redact_url), ", "));
  return concat(name_of(pin.component), " ", pin.version, table, ": ", pin.commit.hex(), ", ", commit);
}

std::string open_text(const OpenCompanion& open) {
  return concat(name_of(open.component), ": ", open.reason, ". ", open.option(), " sets it, --",
                name_of(open.component), " none omits it");
}

/// Returns a line for a citation on a page that does not hold.
std::string doubt_text(const WrongCitation& doubt) {
  return concat(doubt.issue, ": ", doubt.found, ": ", doubt.words.empty() ? "" : quote(doubt.words) + " in ",
                doubt.place, " of ", doubt.release);
}

/// Things to review without a decision: each as a text, or the names of a few on one line.
struct ToLookAt {
  std::string heading;
  std::vector<std::string> texts;
  std::vector<std::string> names{};  ///< empty: only their number is shown
};

std::vector<std::string> issues_of(const std::vector<WrongCitation>& doubts) {
  std::vector<std::string> issues = collect(doubts, &WrongCitation::issue);
  issues.erase(std::unique(issues.begin(), issues.end()), issues.end());
  return issues;
}

std::vector<ToLookAt> to_look_at(const ReleaseDraft& draft) {
  const auto first_name = [](const std::string& place) { return place.substr(0, place.find(' ')); };
  const auto cause = [](const std::string& missing) { return missing.substr(0, missing.find(": ")); };
  const auto submodule_name = [](const SubmoduleChange& each) { return concat(each.change, " ", each.repository); };
  return {{"pinned by content, which proves less than a commit", draft.contents},
          {"carried over to a changed line, or not compared", grouped(draft.changed, true, changed_text),
           collect(draft.changed, &ChangedPlace::name)},
          {"new in this release", draft.first, collect(draft.first, first_name)},
          {"citations of the previous release that no longer hold", collect(draft.lost_citations, citation_text),
           collect(draft.lost_citations, &WrongCitation::place)},
          {"notes of the previous release, not copied: copy those that still hold", draft.notes},
          {"submodules", collect(draft.submodules, submodule_text), collect(draft.submodules, submodule_name)},
          {concat("known issues that affect it (", draft.pages.affecting, ") and cite older releases (",
                  draft.pages.cited, ") whose text no longer holds"),
           collect(draft.pages.doubts, doubt_text), issues_of(draft.pages.doubts)},
          {"licence files", collect(draft.licences, licence_text), collect(draft.licences, licence_text)},
          {"not available, so missing from trees", draft.missing, collect(draft.missing, cause)}};
}

void add_to_look_at(std::vector<Block>& blocks, const std::vector<ToLookAt>& lists, bool all) {
  std::vector<std::string> lines;
  for (const ToLookAt& list : lists) {
    if (all) add_items(blocks, list.heading, list.texts);
    if (!list.texts.empty())
      lines.push_back(concat(list.heading, ": ",
                             list.names.empty() ? std::to_string(list.texts.size()) : place_names(list.names, false)));
  }
  if (!all) add_items(blocks, "to review; --all lists each", lines);
}

std::vector<std::string> news_lines(const ComponentNews& news) {
  std::vector<std::string> lines;
  for (const NewTag& tag : news.news)
    lines.push_back(concat("new: ", tag.tag, " at ", tag.commit.hex(), tag.time ? ", " + day_text(*tag.time) : ""));
  for (const StrayPin& pin : news.moved)
    lines.push_back(concat("moved: ", pin.tag, " is at ", pin.found->hex(), ", pinned: ", pin.pinned.hex()));
  for (const StrayPin& pin : news.missing) lines.push_back(concat("gone: ", pin.tag, ", pinned: ", pin.pinned.hex()));
  if (!news.problem.empty()) lines.push_back("unknown: " + news.problem);
  if (lines.empty()) lines.push_back("nothing new");
  return lines;
}

}  // namespace

std::string standing_text(const IssueDecision& decision) {
  return decision.status == IssueStatus::applied ? fix_text(decision.kind, decision.fix, decision.variant)
                                                 : name_of(decision.status);
}

Document release_draft_document(const ReleaseDraft& draft, bool all) {
  const std::size_t most = all ? kAllOfThem : 3;
  const char* const what = draft.is_written  ? "wrote "
                           : draft.is_edited ? "already exists, edited since: "
                                             : "already exists, unchanged: ";
  Document page{.title = concat(what, draft.file, ", based on ", draft.like)};
  page.blocks.push_back(
      plain_items({concat(counted(draft.moved, "place"), " of variables and modules carried over, ",
                          draft.changed.size(), " of them to a line to review, ", draft.lost.size(),
                          " lost; citations: ", draft.cited, " of ", draft.cited + draft.lost_citations.size()),
                   concat("marked as unverified, because they cannot be derived: ",
                          draft.release.find(Component::torch)->content ? "the date, " : "",
                          "Python, CUDA, the version bounds of tools")}));
  add_items(page.blocks, "pins", collect(draft.pins, [&](const NewPin& pin) { return pin_text(pin, draft.release); }));
  add_items(page.blocks, "versions of companions not found: pass each, or none", collect(draft.open, open_text));
  add_some(page.blocks, "places not found: restore them by hand, or drop the variable",
           grouped(draft.lost, all, lost_text), most);
  add_to_look_at(page.blocks, to_look_at(draft), all);
  std::vector<std::string> command = {"torchpatch port", draft.release.version.text()};
  command.insert(command.end(), draft.to_port.begin(), draft.to_port.end());
  if (draft.to_port.size() > 1) command.push_back("--keep-going");
  const auto plan_text = [&](const PlanChange& change) { return plan_change_text(change, all); };
  add_some(page.blocks, concat("worse than in ", draft.like, "; '", join(command, " "), "' carries the patchsets over"),
           collect(draft.plans, plan_text), most);
  return page;
}

Document outdated_document(const OutdatedReport& report) {
  Document document;
  for (const ComponentNews& news : report.components) {
    const bool is_asked = news.asked == std::vector<std::string>{news.url};
    const std::string where = is_asked || news.asked.empty() ? "" : concat(", by ", join(news.asked, ", "));
    add_items(document.blocks, concat(name_of(news.component), ": ", news.url, where), news_lines(news));
  }
  return document;
}

}  // namespace torchpatch::report
